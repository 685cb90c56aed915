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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// service gives clients each node's address. It is headless, because memcached
// clients shard by themselves: behind one load-balanced address every request
// would meet another node.
func service(mc *cachev1alpha1.Memcached) *corev1ac.ServiceApplyConfiguration {
	return corev1ac.Service(mc.Name, mc.Namespace).
		WithLabels(labels(mc)).
		WithOwnerReferences(controlledBy(mc)).
		WithSpec(corev1ac.ServiceSpec().
			WithType(corev1.ServiceTypeClusterIP).
			WithClusterIP(corev1.ClusterIPNone).
			WithSelector(Selector(mc.Name)).
			WithPorts(corev1ac.ServicePort().
				WithName(portName).
				WithProtocol(corev1.ProtocolTCP).
				WithPort(mc.Spec.ContainerPort).
				WithTargetPort(intstr.FromString(portName))))
}
