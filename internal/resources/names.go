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

package resources

import (
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Selector selects the nodes of the Memcached called name. It names the
// instance, so that two caches in a namespace stay apart, and the manager, so
// that a memcached installed by other means under the same instance name is
// none of ours. It must never change: a Deployment's selector is immutable.
func Selector(name string) map[string]string {
	return map[string]string{
		cachev1alpha1.LabelName:      "memcached",
		cachev1alpha1.LabelInstance:  name,
		cachev1alpha1.LabelManagedBy: cachev1alpha1.ManagedBy,
	}
}

func labels(mc *cachev1alpha1.Memcached) map[string]string {
	all := Selector(mc.Name)
	all[cachev1alpha1.LabelComponent] = "cache"
	return all
}

// controlledBy makes mc the controller of a child: garbage collection then
// removes the child with it, and nobody else may adopt it. It does not set
// blockOwnerDeletion: the finalizer already keeps mc until its nodes are gone,
// and API servers that check the permission for it refuse the child for half a
// minute after the CRD was installed (ADR 0003).
func controlledBy(mc *cachev1alpha1.Memcached) *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().
		WithAPIVersion(cachev1alpha1.GroupVersion.String()).
		WithKind("Memcached").
		WithName(mc.Name).
		WithUID(mc.UID).
		WithController(true)
}
