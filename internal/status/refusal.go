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

package status

import (
	"regexp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// refusedWrite explains a write that the API server refused. What passes by
// itself (conflicts, overload, a lost connection) is retried and is no problem.
func refusedWrite(err error) *problem {
	found := refusal(err.Error())
	// Whatever code a webhook chose, its denial is one: some give no reason, or 500.
	if found.reason != cachev1alpha1.ReasonAdmissionDenied && passing(err) {
		return nil
	}
	return found
}

// refusedNodes explains why the Deployment cannot make its pods.
func refusedNodes(deployment *appsv1.Deployment) *problem {
	if failing := condition(deployment, appsv1.DeploymentReplicaFailure, corev1.ConditionTrue); failing != nil {
		return refusal("create pod: " + failing.Message)
	}
	failing := condition(deployment, appsv1.DeploymentProgressing, corev1.ConditionFalse)
	if failing != nil && failing.Reason == "ReplicaSetCreateError" {
		return refusal(failing.Message)
	}
	return nil
}

func passing(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsTooManyRequests(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) ||
		apierrors.IsNotFound(err) || // it went between two requests
		apierrors.ReasonForError(err) == "" // not an answer of the API server
}

// refusal sorts an API server's refusal by its text: quota, Pod Security,
// webhooks and missing permissions all answer 403.
func refusal(text string) *problem {
	reason := cachev1alpha1.ReasonApplyFailed
	switch {
	case strings.Contains(text, "exceeded quota"), strings.Contains(text, "failed quota"):
		reason = cachev1alpha1.ReasonQuotaExceeded
	case strings.Contains(text, "admission webhook"), strings.Contains(text, "failed calling webhook"),
		strings.Contains(text, "violates PodSecurity"), strings.Contains(text, "denied request"), // a policy
		strings.Contains(text, "usage per"), strings.Contains(text, "ratio per"): // a LimitRange
		reason = cachev1alpha1.ReasonAdmissionDenied
	}
	return &problem{reason, settled(text)}
}

var (
	generatedPod = regexp.MustCompile(`(pods "[^"]*" is forbidden|Pod "[^"]*" is invalid): `)
	quotaUsed    = regexp.MustCompile(`, used: .*?, limited: `)
	webhookCall  = regexp.MustCompile(`(failed calling webhook "[^"]*").*`)
)

// longest is how much of a refusal is told: an event's note has room for 1,024
// bytes, a condition's message for more.
const longest = 1024

// settled takes from a message what changes from one attempt to the next: the
// generated name of a pod, how much of a quota is used, and the addresses of a
// connection that failed.
func settled(text string) string {
	text = generatedPod.ReplaceAllString(text, "")
	text = quotaUsed.ReplaceAllString(text, ", limited: ")
	text = webhookCall.ReplaceAllString(text, "$1")
	return strings.ToValidUTF8(text[:min(len(text), longest)], "")
}
