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
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// nodeUser is the user of every node, where the platform does not assign one.
// Any number but 0 works: memcached needs no passwd entry.
const nodeUser = 1001

// firstUnprivilegedPort is the lowest port that Linux lets a process without
// privileges listen on, unless told otherwise.
const firstUnprivilegedPort = 1024

// deployment keeps mc's nodes. It never runs more of them than asked for: a
// rollout stops a node before it starts the next one.
func deployment(mc *cachev1alpha1.Memcached, options Options) *appsv1ac.DeploymentApplyConfiguration {
	return appsv1ac.Deployment(mc.Name, mc.Namespace).
		WithLabels(labels(mc)).
		WithOwnerReferences(controlledBy(mc)).
		WithSpec(appsv1ac.DeploymentSpec().
			WithReplicas(mc.Spec.Size).
			WithPaused(false).
			WithSelector(metav1ac.LabelSelector().WithMatchLabels(Selector(mc.Name))).
			WithStrategy(appsv1ac.DeploymentStrategy().
				WithType(appsv1.RollingUpdateDeploymentStrategyType).
				WithRollingUpdate(appsv1ac.RollingUpdateDeployment().
					WithMaxSurge(intstr.FromInt32(0)).
					WithMaxUnavailable(intstr.FromInt32(1)))).
			WithTemplate(corev1ac.PodTemplateSpec().
				WithLabels(labels(mc)).
				WithSpec(pod(mc, options))))
}

// pod satisfies Pod Security "restricted", and tells the node nothing about
// the cluster: memcached needs neither a token nor the Services' addresses.
func pod(mc *cachev1alpha1.Memcached, options Options) *corev1ac.PodSpecApplyConfiguration {
	return corev1ac.PodSpec().
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		WithSecurityContext(podSecurity(mc, options)).
		WithContainers(container(mc, options))
}

func podSecurity(mc *cachev1alpha1.Memcached, options Options) *corev1ac.PodSecurityContextApplyConfiguration {
	security := corev1ac.PodSecurityContext().
		WithRunAsNonRoot(true).
		WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))
	if !options.AssignsUser {
		security.WithRunAsUser(nodeUser)
	}
	if mc.Spec.ContainerPort < firstUnprivilegedPort {
		// Not every container runtime lowers the limit by itself.
		security.WithSysctls(corev1ac.Sysctl().
			WithName("net.ipv4.ip_unprivileged_port_start").
			WithValue("0"))
	}
	return security
}
