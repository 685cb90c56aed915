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

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/internal/status"
)

// child is one object of a Memcached: what should be, and what is.
type child struct {
	kind    string
	desired runtime.ApplyConfiguration
	// meta is desired's own metadata.
	meta *metav1ac.ObjectMetaApplyConfiguration
	// live is the observed object; writes refresh it.
	live client.Object
	// replacement puts desired in the place of what an apply cannot mend.
	replacement func(uid types.UID) (client.Patch, error)
}

func children(seen *observed, desired resources.Children) []child {
	return []child{{
		kind: "Deployment", desired: desired.Deployment, meta: desired.Deployment.ObjectMetaApplyConfiguration, live: seen.deployment,
		replacement: func(uid types.UID) (client.Patch, error) { return replaceTemplate(desired.Deployment, uid) },
	}, {
		kind: "Service", desired: desired.Service, meta: desired.Service.ObjectMetaApplyConfiguration, live: seen.service,
		replacement: func(uid types.UID) (client.Patch, error) { return replaceLists(desired.Service, uid) },
	}}
}

// apply makes each child as desired. One that cannot be does not keep the other
// from being right.
func (r *MemcachedReconciler) apply(ctx context.Context, mc *cachev1alpha1.Memcached, seen *observed, desired resources.Children) status.Outcome {
	var out status.Outcome
	for _, c := range children(seen, desired) {
		if c.kind == "Deployment" && r.awaitsSurvivors(mc, seen) {
			out.Awaited = append(out.Awaited, "nodes of the former Deployment")
			continue
		}
		whose, err := r.applyChild(ctx, mc, c)
		name := fmt.Sprintf("%s %s/%s", c.kind, mc.Namespace, mc.Name)
		switch {
		case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
			out.Awaited = append(out.Awaited, "Namespace "+mc.Namespace)
		case err != nil:
			out.Errors = append(out.Errors, fmt.Errorf("apply %s: %w", name, err))
		case whose == foreign:
			out.Conflicts = append(out.Conflicts, name)
		case whose == leaving:
			out.Awaited = append(out.Awaited, name)
		}
	}
	return out
}

// applyChild returns whose the child's name is, after it has been created or
// updated where that was called for.
func (r *MemcachedReconciler) applyChild(ctx context.Context, mc *cachev1alpha1.Memcached, c child) (ownership, error) {
	if ownershipOf(mc, c.live) == absent {
		err := r.create(ctx, c)
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			if err == nil {
				r.announceChild(mc, c, true)
			}
			return ours, err
		}
		// Something of that name exists that the caches do not hold, because
		// it lacks our label. Whose is it?
		if err := r.getLive(ctx, mc, c.live); err != nil {
			return absent, err
		}
	}
	whose := ownershipOf(mc, c.live)
	if whose != ours {
		return whose, nil
	}
	changed, err := r.update(ctx, c)
	if changed {
		r.announceChild(mc, c, false)
	}
	return ours, err
}

// create never takes over an object that exists, not even one that appears
// while the request is under way: to the API server, an apply that names a
// resourceVersion is an update of that version when the object exists, and a
// creation when it does not. Version 1 is never that of a real object.
func (r *MemcachedReconciler) create(ctx context.Context, c child) error {
	c.meta.WithResourceVersion("1")
	defer func() { c.meta.ResourceVersion = nil }()
	if err := r.Apply(ctx, c.desired, fieldOwner); err != nil {
		return err
	}
	return refresh(c)
}

// update puts back what the operator owns, and tells whether that changed
// anything. It names the live UID, so that it can neither recreate an
// object that has just gone nor change one that has taken its name.
func (r *MemcachedReconciler) update(ctx context.Context, c child) (bool, error) {
	wanted, err := digestOf(c.desired)
	if err != nil {
		return false, err
	}
	if c.live.GetAnnotations()[ownedDigest] == wanted {
		return false, nil
	}
	before := c.live.GetResourceVersion()
	c.meta.WithUID(c.live.GetUID())
	err = r.Apply(ctx, c.desired, fieldOwner, client.ForceOwnership)
	if apierrors.IsInvalid(err) {
		// What somebody added and what is ours contradict each other: a port
		// of another number under our name, a field that only goes with
		// another value. To apply keeps both, so ours takes the place of all
		// of it. The next run applies again and so owns it.
		patch, err := c.replacement(c.live.GetUID())
		if err != nil {
			return false, err
		}
		err = r.Patch(ctx, c.live, patch, fieldOwner)
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	// An admission webhook may have put its own value back in ours' place.
	err = refresh(c)
	return c.live.GetResourceVersion() != before, err
}

// replaceTemplate replaces a Deployment's pod template and strategy as a whole.
func replaceTemplate(desired *appsv1ac.DeploymentApplyConfiguration, uid types.UID) (client.Patch, error) {
	body, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": uid},
		{"op": "replace", "path": "/spec/template", "value": desired.Spec.Template},
		{"op": "replace", "path": "/spec/strategy", "value": desired.Spec.Strategy},
	})
	return client.RawPatch(types.JSONPatchType, body), err
}

// replaceLists replaces a Service's lists; the rest of it is merged.
func replaceLists(desired *corev1ac.ServiceApplyConfiguration, uid types.UID) (client.Patch, error) {
	body, err := json.Marshal(desired.WithUID(uid))
	return client.RawPatch(types.MergePatchType, body), err
}

// refresh takes the API server's answer, which Apply leaves in the apply
// configuration, over into the observed object.
func refresh(c child) error {
	answer, err := json.Marshal(c.desired)
	if err != nil {
		return err
	}
	switch live := c.live.(type) {
	case *appsv1.Deployment:
		*live = appsv1.Deployment{}
	case *corev1.Service:
		*live = corev1.Service{}
	}
	return json.Unmarshal(answer, c.live)
}
