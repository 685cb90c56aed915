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
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Options are what the installation decides for every Memcached.
type Options struct {
	// Image is the memcached image of all nodes: a reference with a tag or a
	// digest, of a memcached 1.6.
	Image string

	// AssignsUser tells that the platform chooses the user ID of every pod, as
	// OpenShift does, and refuses pods that choose their own.
	AssignsUser bool
}

// Children are the objects of one Memcached.
type Children struct {
	Deployment *appsv1ac.DeploymentApplyConfiguration
	Service    *corev1ac.ServiceApplyConfiguration
}

// Desired returns the children that should exist for mc.
func Desired(mc *cachev1alpha1.Memcached, options Options) Children {
	return Children{
		Deployment: deployment(mc, options),
		Service:    service(mc),
	}
}
