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

package v1alpha1

// The types of a Memcached's conditions. All four are always present once the
// operator has seen the resource, and each carries the generation it speaks of.
const (
	// ConditionAvailable is True while enough nodes serve: at least size - 1,
	// and never fewer than one. False means that applications lose most of
	// their cache.
	ConditionAvailable = "Available"

	// ConditionProgressing is True while work is under way that should end by
	// itself. It is False both when nothing is left to do and when the work
	// cannot go on; ConditionDegraded tells the two apart.
	ConditionProgressing = "Progressing"

	// ConditionDegraded is True while something is wrong that does not mend
	// itself quickly, and during deletion. Its message says what to do.
	ConditionDegraded = "Degraded"

	// ConditionReady is True when every node of the present generation is
	// ready and no other node is left. Its reason is the most telling of the
	// other conditions' reasons.
	ConditionReady = "Ready"
)

// Reasons while all is well, or on its way there.
const (
	// ReasonMinimumNodesReady: Available is True.
	ReasonMinimumNodesReady = "MinimumNodesReady"
	// ReasonTooFewNodesReady: Available is False, fewer nodes than needed are ready.
	ReasonTooFewNodesReady = "TooFewNodesReady"
	// ReasonAllNodesReady: Ready is True.
	ReasonAllNodesReady = "AllNodesReady"
	// ReasonSettled: Progressing is False, nothing is left to do.
	ReasonSettled = "Settled"
	// ReasonAsExpected: Degraded is False.
	ReasonAsExpected = "AsExpected"
	// ReasonRollingOut: Progressing is True, nodes are being created, replaced
	// or removed.
	ReasonRollingOut = "RollingOut"
	// ReasonWaitingForNodes: Progressing is True, all nodes exist and some are
	// not ready yet.
	ReasonWaitingForNodes = "WaitingForNodes"
	// ReasonWaitingForDeletion: Progressing is True, a Deployment or Service
	// of this name is on its way out and is awaited.
	ReasonWaitingForDeletion = "WaitingForDeletion"
	// ReasonFinalizing: the resource is being deleted and its nodes are
	// stopping. Available is False, Progressing and Degraded are True.
	ReasonFinalizing = "Finalizing"
)

// Reasons of Degraded=True. Progressing (False) and Ready (False) repeat them.
const (
	// ReasonNameConflict: a Deployment or Service of this name belongs to
	// somebody else. The operator does not touch it; rename one of the two.
	ReasonNameConflict = "NameConflict"
	// ReasonQuotaExceeded: a ResourceQuota of the namespace leaves no room.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonAdmissionDenied: an admission policy or webhook, or Pod Security,
	// refuses the Deployment, the Service or the pods.
	ReasonAdmissionDenied = "AdmissionDenied"
	// ReasonApplyFailed: the API server refuses a write for another reason,
	// such as missing permissions of the operator.
	ReasonApplyFailed = "ApplyFailed"
	// ReasonCrashLoop: memcached ended and was started again, and is not ready.
	ReasonCrashLoop = "CrashLoop"
	// ReasonImagePullFailed: the memcached image cannot be had.
	ReasonImagePullFailed = "ImagePullFailed"
	// ReasonContainerStartFailed: the image is there, but the container cannot
	// be made from it.
	ReasonContainerStartFailed = "ContainerStartFailed"
	// ReasonUnschedulable: no machine of the cluster has room for a node.
	ReasonUnschedulable = "Unschedulable"
	// ReasonProgressDeadlineExceeded: the rollout made no progress within the
	// Deployment's deadline (600 s), and no better reason is known.
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
)

// Reasons of events that are not the reason of a condition.
const (
	// EventDeleting: deletion has begun.
	EventDeleting = "Deleting"
	// EventNodesLeft: the resource was released although nodes still
	// terminate, because they exceeded their time.
	EventNodesLeft = "NodesLeft"
	// EventCreated: a child was created.
	EventCreated = "Created"
	// EventUpdated: a child was changed because the resource changed.
	EventUpdated = "Updated"
	// EventRepaired: a child was written although the resource had not changed:
	// somebody else changed or deleted it, an earlier write had failed, or the
	// operator's own settings changed.
	EventRepaired = "Repaired"
)
