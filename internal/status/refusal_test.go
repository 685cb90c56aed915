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
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

var deployments = schema.GroupResource{Group: "apps", Resource: "deployments"}

func forbidden(why string) error {
	return apierrors.NewForbidden(deployments, "cache", errors.New(why))
}

// denied is a webhook's answer as the API server passes it on.
func denied(code int32, reason metav1.StatusReason, why string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason,
		Message: `admission webhook "policy.example.com" denied the request: ` + why,
	}}
}

// writing wraps an error as the controller does.
func writing(err error) status.Outcome {
	return status.Outcome{Errors: []error{fmt.Errorf("apply Deployment team/cache: %w", err)}}
}

const applying = `apply Deployment team/cache: deployments.apps "cache" is forbidden: `

var refusedWrites = map[string]struct {
	err     error
	reason  string
	message string
}{
	"a quota that is used up": {
		err:     forbidden("exceeded quota: tight, requested: count/deployments.apps=1, used: count/deployments.apps=4, limited: count/deployments.apps=4"),
		reason:  cachev1alpha1.ReasonQuotaExceeded,
		message: applying + "exceeded quota: tight, requested: count/deployments.apps=1, limited: count/deployments.apps=4",
	},
	"a webhook that denies": {
		err:     denied(http.StatusForbidden, metav1.StatusReasonForbidden, "no caches on Fridays"),
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: `apply Deployment team/cache: admission webhook "policy.example.com" denied the request: no caches on Fridays`,
	},
	"a webhook that denies without a reason": {
		err:     denied(http.StatusBadRequest, "", "no caches on Fridays"),
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: `apply Deployment team/cache: admission webhook "policy.example.com" denied the request: no caches on Fridays`,
	},
	"a webhook that fails and says so": {
		err:     denied(http.StatusInternalServerError, "", "cannot read the policy"),
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: `apply Deployment team/cache: admission webhook "policy.example.com" denied the request: cannot read the policy`,
	},
	"a webhook that cannot be reached": {
		err: apierrors.NewInternalError(errors.New(`failed calling webhook "policy.example.com": failed to call webhook: ` +
			`Post "https://policy.infra.svc:443/validate?timeout=10s": read tcp 10.0.0.4:41532->10.96.7.2:443: read: connection reset by peer`)),
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: `apply Deployment team/cache: Internal error occurred: failed calling webhook "policy.example.com"`,
	},
	"an admission policy": {
		err:     forbidden("ValidatingAdmissionPolicy 'small' with binding 'small' denied request: too many replicas"),
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: applying + "ValidatingAdmissionPolicy 'small' with binding 'small' denied request: too many replicas",
	},
	"a mutating policy": {
		err: &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
			Message: "policy 'sidecar' with binding 'sidecar' denied request: expression failed",
		}},
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: "apply Deployment team/cache: policy 'sidecar' with binding 'sidecar' denied request: expression failed",
	},
	"a permission that the operator lacks": {
		err:     forbidden(`User "system:serviceaccount:operators:controller-manager" cannot patch resource "deployments" in API group "apps" in the namespace "team"`),
		reason:  cachev1alpha1.ReasonApplyFailed,
		message: applying + `User "system:serviceaccount:operators:controller-manager" cannot patch resource "deployments" in API group "apps" in the namespace "team"`,
	},
	"an object that the API server calls invalid": {
		err: apierrors.NewInvalid(schema.GroupKind{Group: "apps", Kind: "Deployment"}, "cache",
			field.ErrorList{field.Forbidden(field.NewPath("spec", "selector"), "field is immutable")}),
		reason:  cachev1alpha1.ReasonApplyFailed,
		message: `apply Deployment team/cache: Deployment.apps "cache" is invalid: spec.selector: Forbidden: field is immutable`,
	},
}

func TestRefusedWriteIsExplained(t *testing.T) {
	t.Parallel()
	for name, tc := range refusedWrites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := status.Compute(cache(1), status.Observed{}, writing(tc.err))
			checkDegraded(t, got, tc.reason, tc.message)
		})
	}
}

const podForbidden = `pods "cache-5d4f-abcde" is forbidden: `

// The texts are those of a real API server, in the Deployment's ReplicaFailure.
var refusedNodes = map[string]struct{ says, reason, message string }{
	"a quota that is used up": {
		says:    podForbidden + "exceeded quota: tight, requested: limits.memory=140Mi,pods=1, used: limits.memory=900Mi,pods=7, limited: limits.memory=1Gi,pods=7",
		reason:  cachev1alpha1.ReasonQuotaExceeded,
		message: "create pod: exceeded quota: tight, requested: limits.memory=140Mi,pods=1, limited: limits.memory=1Gi,pods=7",
	},
	"a quota that asks for what nodes do not say": {
		says:    podForbidden + "failed quota: strict: must specify limits.cpu for: memcached",
		reason:  cachev1alpha1.ReasonQuotaExceeded,
		message: "create pod: failed quota: strict: must specify limits.cpu for: memcached",
	},
	"Pod Security": {
		says: podForbidden + `violates PodSecurity "restricted:latest": unrestricted capabilities ` +
			`(container "istio" must set securityContext.capabilities.drop=["ALL"])`,
		reason: cachev1alpha1.ReasonAdmissionDenied,
		message: `create pod: violates PodSecurity "restricted:latest": unrestricted capabilities ` +
			`(container "istio" must set securityContext.capabilities.drop=["ALL"])`,
	},
	"a LimitRange": {
		says:    podForbidden + "maximum memory usage per Container is 100Mi, but limit is 140Mi",
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: "create pod: maximum memory usage per Container is 100Mi, but limit is 140Mi",
	},
	"a LimitRange of ratios": {
		says:    podForbidden + "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: "create pod: cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
	},
	"a pod that others made invalid": {
		says:    `Pod "cache-5d4f-abcde" is invalid: spec.containers[0].resources.requests: Invalid value: "10m": must be less than or equal to cpu limit of 5m`,
		reason:  cachev1alpha1.ReasonApplyFailed,
		message: `create pod: spec.containers[0].resources.requests: Invalid value: "10m": must be less than or equal to cpu limit of 5m`,
	},
	"a webhook that denies": {
		says:    `admission webhook "policy.example.com" denied the request: no caches on Fridays`,
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: `create pod: admission webhook "policy.example.com" denied the request: no caches on Fridays`,
	},
	"a webhook that cannot be reached": {
		says: `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: ` +
			`Post "https://policy.infra.svc:443/validate?timeout=10s": dial tcp 10.96.7.2:443: connect: connection refused`,
		reason:  cachev1alpha1.ReasonAdmissionDenied,
		message: `create pod: Internal error occurred: failed calling webhook "policy.example.com"`,
	},
	"a reason that is not known": {
		says:    podForbidden + `error looking up service account team/default: serviceaccount "default" not found`,
		reason:  cachev1alpha1.ReasonApplyFailed,
		message: `create pod: error looking up service account team/default: serviceaccount "default" not found`,
	},
}

func TestRefusedNodesAreExplained(t *testing.T) {
	t.Parallel()
	for name, tc := range refusedNodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := status.Compute(cache(1), nodes(0, 0, 0, refused(tc.says)), status.Outcome{})
			checkDegraded(t, got, tc.reason, tc.message)
		})
	}
}

func checkDegraded(t *testing.T, got cachev1alpha1.MemcachedStatus, reason, message string) {
	t.Helper()
	want := verdict{tooFew, "False " + reason, "True " + reason, "False " + reason}
	if diff := cmp.Diff(want, verdictOf(t, got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(message, degradedOf(t, got).Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

// The API takes messages of 32768 characters, and an event's note of 1024.
func TestLongRefusalIsCut(t *testing.T) {
	t.Parallel()
	why := strings.Repeat("é", 40_000)
	for name, got := range map[string]cachev1alpha1.MemcachedStatus{
		"of a write": status.Compute(cache(1), status.Observed{}, writing(denied(http.StatusForbidden, metav1.StatusReasonForbidden, why))),
		"of nodes":   status.Compute(cache(1), nodes(0, 0, 0, refused(why)), status.Outcome{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if message := degradedOf(t, got).Message; len(message) > 1024 || !utf8.ValidString(message) {
				t.Errorf("message of %d bytes, valid: %t", len(message), utf8.ValidString(message))
			}
		})
	}
}

func TestRefusedReplicaSetIsExplained(t *testing.T) {
	t.Parallel()
	seen := nodes(0, 0, 0, reporting(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ReplicaSetCreateError",
		`Failed to create new replica set "cache-5d4f": replicasets.apps "cache-5d4f" is forbidden: `+
			"exceeded quota: tight, requested: count/replicasets.apps=1, used: count/replicasets.apps=9, limited: count/replicasets.apps=9"))
	got := degradedOf(t, status.Compute(cache(1), seen, status.Outcome{}))
	if diff := cmp.Diff(cachev1alpha1.ReasonQuotaExceeded, got.Reason); diff != "" {
		t.Errorf("reason (-want +got):\n%s", diff)
	}
	if strings.Contains(got.Message, "used:") {
		t.Errorf("message holds what moves: %s", got.Message)
	}
}
