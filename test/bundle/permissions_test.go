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

package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// OLM gives `permissions` in the namespaces of the OperatorGroup, and
// `clusterPermissions` everywhere.
func TestPermissionsAreThoseOfConfig(t *testing.T) {
	strategy := load(t).CSV.Spec.InstallStrategy.StrategySpec
	for name, tc := range map[string]struct {
		got   []operatorsv1alpha1.StrategyDeploymentPermissions
		roles []string
	}{
		"permissions": {
			got:   strategy.Permissions,
			roles: []string{"role.yaml", "leader_for_life_role.yaml"},
		},
		"cluster permissions": {
			got:   strategy.ClusterPermissions,
			roles: []string{"metrics_auth_role.yaml", "leader_for_life_node_role.yaml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want []rbacv1.PolicyRule
			for _, file := range tc.roles {
				var role rbacv1.ClusterRole // or a Role; its rules are the same
				readYAML(t, "config/rbac/"+file, &role)
				want = append(want, role.Rules...)
			}
			if diff := cmp.Diff(singly(want), singly(ofManager(t, tc.got))); diff != "" {
				t.Errorf("rules (-config +bundle):\n%s", diff)
			}
		})
	}
}

// What the roles of config may grow, a bundle must not gain by accident.
func TestPermissionsAreNoWiderThanDesigned(t *testing.T) {
	strategy := load(t).CSV.Spec.InstallStrategy.StrategySpec
	want := strings.Fields(`
		cache.example.com/memcacheds:get cache.example.com/memcacheds:list cache.example.com/memcacheds:watch
		cache.example.com/memcacheds:patch cache.example.com/memcacheds/status:patch cache.example.com/memcacheds/finalizers:update
		apps/deployments:get apps/deployments:list apps/deployments:watch apps/deployments:create
		apps/deployments:patch apps/deployments:delete
		/services:get /services:list /services:watch /services:create /services:patch
		/pods:get /pods:list /pods:watch /pods:delete
		/events:create /events:patch events.k8s.io/events:create events.k8s.io/events:patch
		/configmaps:create /configmaps=memcached-operator-lock:get /configmaps=memcached-operator-lock:delete`)
	for _, rule := range singly(ofManager(t, strategy.Permissions)) {
		if !slices.Contains(want, rule) {
			t.Errorf("permissions have %s", rule)
		}
	}
	// Only what belongs to no namespace.
	wantCluster := strings.Fields(`/nodes:get authentication.k8s.io/tokenreviews:create authorization.k8s.io/subjectaccessreviews:create`)
	if diff := cmp.Diff(wantCluster, singly(ofManager(t, strategy.ClusterPermissions))); diff != "" {
		t.Errorf("cluster permissions (-want +got):\n%s", diff)
	}
}

func TestNoPermissionIsAWildcard(t *testing.T) {
	strategy := load(t).CSV.Spec.InstallStrategy.StrategySpec
	for _, permission := range append(strategy.Permissions, strategy.ClusterPermissions...) {
		for _, rule := range permission.Rules {
			for _, word := range slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs, rule.NonResourceURLs) {
				if strings.Contains(word, "*") {
					t.Errorf("wildcard in %v", rule)
				}
			}
		}
	}
}

// ofManager returns the rules of the manager's ServiceAccount, which is the
// only one.
func ofManager(t *testing.T, permissions []operatorsv1alpha1.StrategyDeploymentPermissions) []rbacv1.PolicyRule {
	t.Helper()
	_, spec := deployment(t, load(t).CSV)
	if len(permissions) != 1 || permissions[0].ServiceAccountName != spec.Template.Spec.ServiceAccountName {
		t.Fatalf("permissions %v are not of the manager's ServiceAccount alone", permissions)
	}
	return permissions[0].Rules
}

// singly takes rules apart: one entry for each group, resource, name and verb,
// so that two ways to write the same rules are equal.
func singly(rules []rbacv1.PolicyRule) []string {
	var all []string
	for _, rule := range rules {
		names := []string{""}
		if len(rule.ResourceNames) > 0 {
			names = nil
			for _, name := range rule.ResourceNames {
				names = append(names, "="+name)
			}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						all = append(all, fmt.Sprintf("%s/%s%s:%s", group, resource, name, verb))
					}
				}
			}
		}
		for _, url := range rule.NonResourceURLs {
			for _, verb := range rule.Verbs {
				all = append(all, url+":"+verb)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
