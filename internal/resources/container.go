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
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const (
	// containerName is the node's container, and with it the name under which
	// `kubectl logs` finds it.
	containerName = "memcached"

	// portName is the port's name in the pod and in the Service; SRV records
	// are published under it.
	portName = "memcached"
)

// containerMemory is what a node may use for 64 MiB of items: 1.13 times the
// item memory, 48 MiB for slab classes, hash table and threads, and 20 KiB for
// each of 1,024 connections (measured on memcached 1.6.18 and 1.6.45). Request
// and limit are equal, so that a node is never evicted for using its memory.
const containerMemory = "140Mi"

// containerCPU is a request only: a limit would throttle a cache when it is
// needed most.
const containerCPU = "10m"

func container(mc *cachev1alpha1.Memcached, options Options) *corev1ac.ContainerApplyConfiguration {
	memory := resource.MustParse(containerMemory)
	return corev1ac.Container().
		WithName(containerName).
		WithImage(options.Image).
		WithCommand(command(mc)...).
		WithPorts(corev1ac.ContainerPort().
			WithName(portName).
			WithContainerPort(mc.Spec.ContainerPort).
			WithProtocol(corev1.ProtocolTCP)).
		WithResources(corev1ac.ResourceRequirements().
			WithRequests(corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse(containerCPU),
				corev1.ResourceMemory: memory,
			}).
			WithLimits(corev1.ResourceList{corev1.ResourceMemory: memory})).
		WithStartupProbe(connects().WithPeriodSeconds(1).WithFailureThreshold(60)).
		WithReadinessProbe(connects().WithPeriodSeconds(5).WithFailureThreshold(3)).
		WithSecurityContext(corev1ac.SecurityContext().
			WithAllowPrivilegeEscalation(false).
			WithReadOnlyRootFilesystem(true).
			WithCapabilities(corev1ac.Capabilities().WithDrop("ALL")))
}

// connects asks whether memcached accepts connections. There is no liveness
// probe: a memcached that is slow, or out of connections, still holds the
// cache, and killing it would lose that.
func connects() *corev1ac.ProbeApplyConfiguration {
	return corev1ac.Probe().
		WithTCPSocket(corev1ac.TCPSocketAction().WithPort(intstr.FromString(portName)))
}
