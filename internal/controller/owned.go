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

package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// ownedDigest is an annotation of children in the operator's memory, never in the
// cluster: the digest of what of them the operator applied and still owns.
const ownedDigest = "cache.example.com/owned-digest"

// condense takes from a child all that only tells what the operator owns, and
// notes the digest of that instead: thousands of children then fit into little
// memory, and what is owned is worked out once and not in each run. What has been
// condensed stays as it is.
func condense(object any) (any, error) {
	var owned runtime.ApplyConfiguration
	var err error
	switch child := object.(type) {
	case *appsv1.Deployment:
		if child.Spec.Selector == nil { // no real one lacks it
			return object, nil
		}
		owned, err = ownedDeployment(child)
		child.Spec = appsv1.DeploymentSpec{}
	case *corev1.Service:
		if child.Spec.Type == "" { // no real one lacks it
			return object, nil
		}
		owned, err = corev1ac.ExtractService(child, string(fieldOwner))
		child.Spec = corev1.ServiceSpec{}
	default:
		return object, nil // what the cache keeps of an object whose end it missed
	}
	note(object.(client.Object), owned, err)
	return object, nil
}

// note keeps no digest of a child that extraction cannot read, such as one to
// which somebody has added the same variable twice: it counts as not as desired,
// and is applied in each run. An error would make the caches miss the change.
func note(child client.Object, owned runtime.ApplyConfiguration, err error) {
	child.SetManagedFields(nil)
	child.SetAnnotations(nil)
	if err != nil {
		return
	}
	if digest, err := digestOf(owned); err == nil {
		child.SetAnnotations(map[string]string{ownedDigest: digest})
	}
}

// getLive reads a child from the API server, condensed as the caches hold it.
func (r *MemcachedReconciler) getLive(ctx context.Context, mc *cachev1alpha1.Memcached, child client.Object) error {
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(mc), child); err != nil {
		return err
	}
	_, err := condense(child)
	return err
}

// ownedDeployment is what of a Deployment the operator applied and still owns.
// Extraction goes through the typed object, which leaves out a false, so that
// `paused` has to be looked at by itself.
func ownedDeployment(live *appsv1.Deployment) (*appsv1ac.DeploymentApplyConfiguration, error) {
	owned, err := appsv1ac.ExtractDeployment(live, string(fieldOwner))
	if err == nil && owned.Spec != nil {
		owned.Spec.WithPaused(live.Spec.Paused)
	}
	return owned, err
}

// digestOf is the same for two apply configurations that say the same.
func digestOf(configuration runtime.ApplyConfiguration) (string, error) {
	text, err := json.Marshal(configuration)
	if err != nil {
		return "", fmt.Errorf("encode what is owned: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
