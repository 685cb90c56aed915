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

// The recommended labels of Kubernetes, on every object of a Memcached. They
// are part of the API: users select by them.
const (
	// LabelName is always "memcached".
	LabelName = "app.kubernetes.io/name"
	// LabelInstance is the name of the Memcached.
	LabelInstance = "app.kubernetes.io/instance"
	// LabelComponent is always "cache".
	LabelComponent = "app.kubernetes.io/component"
	// LabelManagedBy is always ManagedBy.
	LabelManagedBy = "app.kubernetes.io/managed-by"

	// ManagedBy is the value of LabelManagedBy. The operator watches only what
	// carries it, so that other people's objects cost nothing.
	ManagedBy = "memcached-operator"
)
