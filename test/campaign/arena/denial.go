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

package arena

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DenyLabel is a namespace's label that names what may not be done in it: the
// resource that may not be created, such as "pods", or Orphaning.
const DenyLabel = "campaign.example.com/deny"

// Orphaning as the value of DenyLabel keeps garbage collection from taking the
// owner from Deployments: an owner that is deleted and whose children are to stay
// is there until the label goes.
const Orphaning = "orphaning"

// denial is the policy that keeps to it.
func denial() []client.Object {
	meta := metav1.ObjectMeta{Name: "deny"}
	return []client.Object{
		&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: DenyLabel, Operator: metav1.LabelSelectorOpExists},
				}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{
					rule(admissionregistrationv1.Create, "pods", "deployments", "services"),
					rule(admissionregistrationv1.Update, "deployments"),
				},
			},
			Variables: []admissionregistrationv1.Variable{
				{Name: "denied", Expression: "namespaceObject.metadata.labels['" + DenyLabel + "']"},
				{Name: "orphaning", Expression: "request.operation == 'UPDATE' && request.userInfo.username == '" + controllersUser + "'"},
			},
			Validations: []admissionregistrationv1.Validation{
				{Expression: "request.operation != 'CREATE' || variables.denied != request.resource.resource", Message: "this plan does not allow it"},
				{Expression: "!variables.orphaning || variables.denied != '" + Orphaning + "'", Message: "this plan does not allow it yet"},
			},
		}},
		&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: "deny", ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		}},
	}
}

func rule(operation admissionregistrationv1.OperationType, resources ...string) admissionregistrationv1.NamedRuleWithOperations {
	return admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{operation},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: resources},
	}}
}
