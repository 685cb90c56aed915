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
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// report is the only write of a status. It makes none when nothing changed.
func (r *MemcachedReconciler) report(ctx context.Context, mc *cachev1alpha1.Memcached, next cachev1alpha1.MemcachedStatus) error {
	if equality.Semantic.DeepEqual(mc.Status, next) {
		return nil
	}
	previous := *mc.Status.DeepCopy()
	patch, err := guardedPatch(mc, nil, map[string]any{"status": next})
	if err != nil {
		return err
	}
	if err := r.Status().Patch(ctx, mc, patch, fieldOwner); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return nil // deleted meanwhile
		}
		return fmt.Errorf("report status of Memcached %s/%s: %w", mc.Namespace, mc.Name, err)
	}
	r.announceStatus(mc, previous, next)
	return nil
}

// guardedPatch is a merge patch of metadata and body that applies to nothing but
// the very version of mc that was read: not to a resource changed since, nor to
// a new one of its name. (An apply without a UID was seen to recreate a deleted
// resource.)
func guardedPatch(mc *cachev1alpha1.Memcached, metadata, body map[string]any) (client.Patch, error) {
	guarded := map[string]any{"uid": mc.UID, "resourceVersion": mc.ResourceVersion}
	maps.Copy(guarded, metadata)
	whole := map[string]any{"metadata": guarded}
	maps.Copy(whole, body)
	raw, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("encode patch of Memcached %s/%s: %w", mc.Namespace, mc.Name, err)
	}
	return client.RawPatch(types.MergePatchType, raw), nil
}
