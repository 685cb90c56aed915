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

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Finalizer keeps a Memcached until its nodes have stopped, so that "the
// resource is gone" means "the nodes are gone" and its name can be used again.
const Finalizer = "cache.example.com/finalizer"

// MemcachedSpec is what a user asks for.
type MemcachedSpec struct {
	// size is the number of memcached nodes, from 1 to 3. It is never
	// exceeded, not even during a rollout (nodes that are terminating are not
	// counted).
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3
	// +optional
	Size int32 `json:"size,omitempty"`

	// containerPort is the TCP port on which each node listens, from 1 to
	// 65535. Changing it restarts the nodes.
	// +kubebuilder:default=11211
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	ContainerPort int32 `json:"containerPort,omitempty"`
}

// MemcachedStatus is what the operator last observed.
type MemcachedStatus struct {
	// conditions are Available, Progressing, Degraded and Ready, each with a
	// reason and a message for people.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status speaks of.
	// +kubebuilder:validation:Minimum=0
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// replicas is the number of nodes that exist, ready or not.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas int32 `json:"replicas"`

	// readyReplicas is the number of nodes that accept connections.
	// +kubebuilder:validation:Minimum=0
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// selector selects the nodes' pods, in the string form that the scale
	// subresource serves to autoscalers.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Selector string `json:"selector,omitempty"`
}

// The name limit of 52 characters is what a StatefulSet of that name could
// still carry (63 for a label value, less 11 for a revision hash).

// Memcached is a cache of one to three memcached nodes. Clients shard by
// themselves: they find each node's address behind the headless Service that
// has the resource's name. The name has at most 52 characters: lower-case
// letters, digits and '-', starting with a letter.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`,description="Nodes asked for"
// +kubebuilder:printcolumn:name="Ready Nodes",type=integer,JSONPath=`.status.readyReplicas`,description="Nodes that accept connections"
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`,description="Whether enough nodes serve"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,description="Why the cache is, or is not, ready",priority=1
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$')",message="metadata.name names the cache's Deployment and Service: use at most 52 characters, only lower-case letters, digits and '-', starting with a letter and ending with a letter or digit"
type Memcached struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the user asks for; without it the cache has one node on
	// port 11211.
	// +kubebuilder:default={}
	// +optional
	Spec MemcachedSpec `json:"spec,omitzero"`

	// status is written by the operator only.
	// +optional
	Status MemcachedStatus `json:"status,omitzero"`
}

// MemcachedList is a list of Memcached.
//
// +kubebuilder:object:root=true
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Memcached `json:"items"`
}

func init() {
	SchemeBuilder.Register(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(SchemeGroupVersion, &Memcached{}, &MemcachedList{})
		return nil
	})
}
