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

package resources_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

const image = "docker.io/library/memcached:1.6.45"

// sample is the resource that works unchanged, for ever, as the API server
// stores it.
func sample(edits ...func(*cachev1alpha1.Memcached)) *cachev1alpha1.Memcached {
	mc := &cachev1alpha1.Memcached{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team",
			Name:      "memcached-sample",
			UID:       "5d0a3c1e-8f0b-4d0e-9a53-1f2e7c4b6a90",
		},
		Spec: cachev1alpha1.MemcachedSpec{Size: 1, ContainerPort: 11211},
	}
	for _, edit := range edits {
		edit(mc)
	}
	return mc
}

func named(name string) func(*cachev1alpha1.Memcached) {
	return func(mc *cachev1alpha1.Memcached) { mc.Name = name }
}

func size(size int32) func(*cachev1alpha1.Memcached) {
	return func(mc *cachev1alpha1.Memcached) { mc.Spec.Size = size }
}

func port(port int32) func(*cachev1alpha1.Memcached) {
	return func(mc *cachev1alpha1.Memcached) { mc.Spec.ContainerPort = port }
}

// desired builds the children as an ordinary installation does.
func desired(mc *cachev1alpha1.Memcached) resources.Children {
	return resources.Desired(mc, resources.Options{Image: image})
}
