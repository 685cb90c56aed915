//go:build olm

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

package olm

import (
	"context"
	"fmt"
	"maps"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// scope is what a namespace is to an installation.
type scope int

const (
	inAllNamespaces scope = iota
	targeted
	untargeted
)

// everybodysRights are those of each authenticated user (to ask who he is and what
// he may, and to discover the API) and of each ServiceAccount (to see whom the
// cluster trusts).
var everybodysRights = []rbacv1.PolicyRule{
	{APIGroups: []string{"authorization.k8s.io"}, Verbs: []string{"create"}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
	{APIGroups: []string{"authentication.k8s.io"}, Verbs: []string{"create"}, Resources: []string{"selfsubjectreviews"}},
	{APIGroups: []string{"certificates.k8s.io"}, Verbs: []string{"get", "list", "watch"}, Resources: []string{"clustertrustbundles"}},
	{Verbs: []string{"get"}, NonResourceURLs: []string{
		"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/readyz", "/openapi", "/openapi/*", "/version", "/version/",
		"/.well-known/openid-configuration", "/.well-known/openid-configuration/", "/openid/v1/jwks", "/openid/v1/jwks/"}},
}

// rights are those that the CSV asks for, and those that OLM adds.
func (i *installation) rights(where scope) []rbacv1.PolicyRule {
	strategy := first.csv.Spec.InstallStrategy.StrategySpec
	rules := slices.Clone(everybodysRights)
	for _, permission := range strategy.ClusterPermissions {
		rules = append(rules, permission.Rules...)
	}
	if where == untargeted {
		return rules
	}
	for _, permission := range strategy.Permissions {
		rules = append(rules, permission.Rules...)
	}
	if where == inAllNamespaces {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list", "watch"}})
	}
	return rules
}

// operatorCondition is the role that OLM gives an operator in its own namespace.
var operatorCondition = rbacv1.PolicyRule{APIGroups: []string{"operators.coreos.com"}, Resources: []string{"operatorconditions"}, Verbs: []string{"get", "update", "patch"}}

// expectRights expects that the operator may do in a namespace exactly what is
// known of: what `kubectl auth can-i --list` says of its ServiceAccount.
func (i *installation) expectRights(ctx context.Context, namespace string, where scope) {
	GinkgoHelper()
	want := i.rights(where)
	if namespace == i.namespace {
		own := operatorCondition
		own.ResourceNames = []string{first.csv.Name}
		want = append(want, own)
	}
	config := rest.CopyConfig(restConfig)
	config.Impersonate.UserName = fmt.Sprintf("system:serviceaccount:%s:%s", i.namespace, first.serviceAccount())
	config.Impersonate.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + i.namespace, "system:authenticated"}
	operator, err := kubernetes.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	review, err := operator.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx,
		&authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}, createOptions)
	Expect(err).NotTo(HaveOccurred())
	var got []rbacv1.PolicyRule
	for _, rule := range review.Status.ResourceRules {
		got = append(got, rbacv1.PolicyRule{Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames})
	}
	for _, rule := range review.Status.NonResourceRules {
		got = append(got, rbacv1.PolicyRule{Verbs: rule.Verbs, NonResourceURLs: rule.NonResourceURLs})
	}
	Expect(cmp.Diff(spelledOut(want), spelledOut(got))).To(BeEmpty(), "rights in namespace %s", namespace)
	GinkgoWriter.Printf("the operator has %d rights in %s, as expected\n", len(spelledOut(got)), namespace)
}

// spelledOut writes rules as single rights, in order, each once.
func spelledOut(rules []rbacv1.PolicyRule) []string {
	all := map[string]bool{}
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			for _, url := range rule.NonResourceURLs {
				all[verb+" "+url] = true
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, name := range append(rule.ResourceNames, "")[:max(1, len(rule.ResourceNames))] {
						all[fmt.Sprintf("%s %s.%s %s", verb, resource, group, name)] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
