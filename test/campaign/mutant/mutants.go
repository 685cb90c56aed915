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

// Package mutant has operators with a fault in them, made on purpose, to see
// whether the campaign's oracles find it. They exist as overlays of a build only.
package mutant

// Mutant is the operator with one change.
type Mutant struct {
	// Name tells what is wrong with it.
	Name string
	// File is where, below the repository's root.
	File string
	// Old is the text that New takes the place of; it must be there once.
	Old, New string
	// Plans is a regular expression of the plans that are expected to find it.
	Plans string
}

const (
	apply      = "internal/controller/apply.go"
	backoff    = "internal/controller/backoff.go"
	caches     = "internal/controller/cache.go"
	finalize   = "internal/controller/finalize.go"
	observe    = "internal/controller/observe.go"
	owned      = "internal/controller/owned.go"
	reconciler = "internal/controller/memcached_controller.go"
	report     = "internal/controller/report.go"
	survivors  = "internal/controller/survivors.go"
	compute    = "internal/status/compute.go"
	diagnose   = "internal/status/diagnose.go"
	rules      = "internal/status/rules.go"
	args       = "internal/resources/args.go"
	container  = "internal/resources/container.go"
	deployment = "internal/resources/deployment.go"
	names      = "internal/resources/names.go"
	service    = "internal/resources/service.go"
)

// Mutants are all there are. To add one, add a line.
var Mutants = []Mutant{
	{"sets no finalizer", finalize, "if controllerutil.ContainsFinalizer(mc, cachev1alpha1.Finalizer) {\n\t\treturn nil",
		"if mc != nil {\n\t\treturn nil", "^none/delete-background"},
	{"does not finalize", reconciler, "if !mc.DeletionTimestamp.IsZero() {", "if false {", "^none/delete-background"},
	{"lets a resource go before its nodes", finalize, "|| nodesGone(seen) {", "|| mc != nil {", "^none/(delete|create|scale)"},
	{"orphans the nodes of a deleted resource", finalize, "PropagationPolicy(metav1.DeletePropagationForeground)",
		"PropagationPolicy(metav1.DeletePropagationOrphan)", "^none/delete-background"},
	{"stops nodes that are to be orphaned", finalize, "return controllerutil.ContainsFinalizer(mc, metav1.FinalizerOrphanDependents) ||\n\t\t", "return ",
		"^none/delete-orphan-slow"},
	{"trusts the API server's clock", finalize, "r.terminating.of(mc)", "time.Since(mc.DeletionTimestamp.Time)", "^clock/delete-background/"},
	{"waits for a foreign Deployment to go", finalize, "seen.deployment.UID != \"\" && !controls(mc, seen.deployment)", "false",
		"^none/conflict-deployment"},
	{"makes nodes differ by how often they were changed", args, "\t\t\"-v\",\n", "\t\t\"-v\", \"-g\" + strconv.Itoa(int(mc.Generation)),\n",
		"^transition/create/size-1-then-size-2"},
	{"waits for ever for its own writes", observe, "context.WithTimeout(ctx, recheck)", "context.WithCancel(ctx)",
		"^stale/delete-foreground/deployments-unobserved"},
	{"takes over what is there", apply, "\tc.meta.WithResourceVersion(\"1\")\n", "", "^none/conflict-service"},
	{"takes every object for its own", observe, "\treturn foreign\n", "\treturn ours\n", "^none/conflict"},
	{"does not look again at a conflict", reconciler, "range out.Conflicts {", "range out.Conflicts[:0] {", "^none/conflict-cleared"},
	{"does not tell of a conflict", diagnose, "len(out.Conflicts) > 0", "len(out.Conflicts) > 9", "^none/conflict"},
	{"gives up after an error", reconciler, "all := out.Errors\n", "all := out.Errors[:0:0]\n", "^(outage|refused)/create/"},
	{"tries again without end at full speed", backoff, "5 * time.Millisecond, 30 * time.Second", "5 * time.Millisecond, 5 * time.Millisecond",
		"^outage/create/"},
	{"writes a status that is as it was", report, "if equality.Semantic.DeepEqual(mc.Status, next) {", "if false {", "^none/create/"},
	{"applies what is as desired", apply, "if c.live.GetAnnotations()[ownedDigest] == wanted {", "if false {", "^none/(create|scale)"},
	{"does not see that a Deployment is paused", owned, "\t\towned.Spec.WithPaused(live.Spec.Paused)\n",
		"\t\towned.Spec.WithPaused(false)\n", "^none/deployment-paused"},
	{"does not wait for the former nodes", survivors, "return r.surviving.of(mc) < recheck", "return false", "^none/deployment-deleted"},
	{"does not wait for time to pass", reconciler, "RequeueAfter: recheck", "RequeueAfter: 0", "^none/deployment-orphaned"},
	{"keeps what contradicts", apply, "if apierrors.IsInvalid(err) {", "if apierrors.IsInvalid(err) && c.kind == \"\" {",
		"^edited/.*/service-spec.ports"},
	{"mixes up two caches", names, "cachev1alpha1.LabelInstance:  name,", "cachev1alpha1.LabelInstance:  \"cache\",", "^none/neighbours"},
	{"takes pods of others for nodes", observe, "return metav1.GetControllerOfNoCopy(&pod) == nil", "return false", "^none/delete-background"},
	{"does not watch pods", reconciler, "\t\tWatches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(memcachedOf)).\n",
		"", "^none/(absent-image|delete-)"},
	{"does not watch Services", reconciler, "\t\tWatches(&corev1.Service{}, &handler.EnqueueRequestForObject{}).\n", "", "^none/service-"},
	{"is always available", rules, "case seen.readyNodes() < needed:", "case seen.readyNodes() < 0:", "^none/absent-image"},
	{"is ready before its nodes", rules, "case seen.readyNodes() < mc.Spec.Size:", "case seen.readyNodes() < 0:", "^none/(create|scale-up|image-mended)"},
	{"forgets the generation of conditions", compute, "\t\tcondition.ObservedGeneration = mc.Generation\n", "\t\tcondition.ObservedGeneration = 1\n",
		"^none/scale-up"},
	{"puts what moves into a message", rules, "\"nothing left to do\")", "\"nothing left to do in %s\", mc.ResourceVersion)", "^none/create/"},
	{"does not explain an image that cannot be pulled", diagnose, "crashLoop, pullFailure, startFailure", "crashLoop, startFailure", "^none/absent-image"},
	{"runs one node too many", deployment, "WithReplicas(mc.Spec.Size)", "WithReplicas(mc.Spec.Size + 1)", "^none/create/"},
	{"rolls out beyond the size", deployment, "WithMaxSurge(intstr.FromInt32(0))", "WithMaxSurge(intstr.FromInt32(2))", "^none/(port|image)"},
	{"stops all nodes in a rollout", deployment, "WithMaxUnavailable(intstr.FromInt32(1))", "WithMaxUnavailable(intstr.FromInt32(3))", "^none/(port|image)"},
	{"violates Pod Security", container, "WithAllowPrivilegeEscalation(false)", "WithAllowPrivilegeEscalation(true)", "^none/create/"},
	{"ignores the port", args, "strconv.Itoa(int(mc.Spec.ContainerPort))", "\"11211\"", "^none/port/"},
	{"ignores the image", container, "WithImage(options.Image)", "WithImage(\"registry.example.com:5000/memcached:1.6.45\")", "^none/image/"},
	{"balances the load", service, "\t\t\tWithClusterIP(corev1.ClusterIPNone).\n", "", "^none/create/"},
	{"reads Secrets", reconciler, "\tseen, err := r.observe(ctx, mc)\n",
		"\t_ = r.Live.Get(ctx, request.NamespacedName, &corev1.Secret{})\n\tseen, err := r.observe(ctx, mc)\n", "^none/create/"},
	{"panics", reconciler, "\tseen, err := r.observe(ctx, mc)\n",
		"\tif mc.Status.Replicas == 2 {\n\t\tpanic(mc.Name)\n\t}\n\tseen, err := r.observe(ctx, mc)\n", "^none/create/"},
	{"writes what it believes, not what it has read", report, "map[string]any{\"uid\": mc.UID, \"resourceVersion\": mc.ResourceVersion}",
		"map[string]any{}", "^(paused-leader|stale)/"},
}
