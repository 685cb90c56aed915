/*
Copyright The Memcached operator authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package status_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

// What passes by itself is retried; to show it would raise an alarm that nobody
// can act on.
func TestPassingErrorIsNoProblem(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Patch", URL: "https://10.96.0.1:443/apis/apps/v1", Err: os.NewSyscallError("connect", err)}
	}
	for name, err := range map[string]error{
		"somebody else wrote first":              apierrors.NewConflict(deployments, "cache", errors.New("the object has been modified")),
		"the API server is busy":                 apierrors.NewTooManyRequests("try again later", 1),
		"the API server took too long":           apierrors.NewTimeoutError("request did not complete", 1),
		"the API server asks to try again":       apierrors.NewServerTimeout(deployments, "patch", 1),
		"the API server is not up":               apierrors.NewServiceUnavailable("apiserver not ready"),
		"a proxy answers in its place":           apierrors.NewGenericServerResponse(http.StatusGatewayTimeout, "patch", deployments, "cache", "", 0, true),
		"the API server lost its storage":        apierrors.NewInternalError(errors.New("etcdserver: leader changed")),
		"the API server does not listen":         dial(syscall.ECONNREFUSED),
		"the API server closed the connection":   dial(syscall.ECONNRESET),
		"the API server went away in an answer":  &url.Error{Op: "Patch", URL: "https://10.96.0.1:443", Err: io.ErrUnexpectedEOF},
		"the object went while it was looked at": apierrors.NewNotFound(deployments, "cache"),
		"the API server closed an idle line":     &url.Error{Op: "Patch", URL: "https://10.96.0.1:443", Err: io.EOF},
		"the operator gave up waiting":           context.DeadlineExceeded,
		"the operator is being stopped":          context.Canceled,
		"the operator limits its own requests":   errors.New("client rate limiter Wait returned an error: context deadline exceeded"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := degradedOf(t, status.Compute(cache(1), nodes(1, 1, 1), writing(err)))
			if got.Status != metav1.ConditionFalse {
				t.Errorf("Degraded for %q: %s %q", err, got.Reason, got.Message)
			}
		})
	}
}

func TestPassingErrorDoesNotHideARefusal(t *testing.T) {
	t.Parallel()
	out := status.Outcome{Errors: append(writing(context.DeadlineExceeded).Errors, writing(forbidden("exceeded quota: tight")).Errors...)}
	got := degradedOf(t, status.Compute(cache(1), status.Observed{}, out))
	if diff := cmp.Diff(cachev1alpha1.ReasonQuotaExceeded, got.Reason); diff != "" {
		t.Errorf("reason (-want +got):\n%s", diff)
	}
}

// The nodes still run what the last write that succeeded says.
func TestFailedWriteIsWorkToDo(t *testing.T) {
	t.Parallel()
	want := verdict{enough, "True RollingOut", fine, "False RollingOut"}
	got := status.Compute(cache(1), nodes(1, 1, 1), writing(context.DeadlineExceeded))
	if diff := cmp.Diff(want, verdictOf(t, got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}
