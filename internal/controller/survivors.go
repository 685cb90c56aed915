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

import cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"

// awaitsSurvivors tells whether mc's Deployment must not be created yet.
//
// Whoever deletes a Deployment leaves its nodes to garbage collection, which
// stops them a moment later. A new Deployment made in between would for that
// moment run twice the nodes asked for. Nodes that nobody stops were orphaned
// on purpose: the new Deployment adopts them, so that their items are kept. The
// two cannot be told apart but by waiting, for as long as recheck.
func (r *MemcachedReconciler) awaitsSurvivors(mc *cachev1alpha1.Memcached, seen *observed) bool {
	if !seen.strayNodes(mc) {
		r.surviving.forget(mc)
		return false
	}
	return r.surviving.of(mc) < recheck
}
