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
	"strings"
	"testing"

	"github.com/operator-framework/api/pkg/validation"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
)

// The bundle passes without an error and without a warning, but for one.
//
// A rule in a ClusterServiceVersion names a group and no version. The manager
// records events through events.k8s.io/v1; the validator sees a permission on
// events.k8s.io and cannot tell that its removed version v1beta1 is not meant.
// Its advice, to migrate to v1, is what is done already.
const unavoidable = `Migrate the API(s) for events: (["ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.Permissions[0].Rules[`

func TestValidatorsHaveNothingToSay(t *testing.T) {
	bundle := load(t)
	for name, validator := range map[string]interfaces.Validator{
		"default":                 validation.DefaultBundleValidators,
		"OperatorHub":             validation.OperatorHubV2Validator,
		"capabilities":            validation.StandardCapabilitiesValidator,
		"categories":              validation.StandardCategoriesValidator,
		"good practices":          validation.GoodPracticesValidator,
		"community":               validation.CommunityOperatorValidator,
		"objects":                 validation.ObjectValidator,
		"removed Kubernetes APIs": validation.AlphaDeprecatedAPIsValidator,
	} {
		t.Run(name, func(t *testing.T) {
			results := validator.Validate(bundle.ObjectsToValidate()...)
			if len(results) == 0 && name != "objects" { // which knows only kinds that the bundle does not have yet
				t.Fatal("the validator did not look at anything")
			}
			for _, result := range results {
				for _, problem := range append(result.Errors, result.Warnings...) {
					if strings.Contains(problem.Detail, unavoidable) && !strings.Contains(problem.Detail, ",") {
						continue
					}
					t.Errorf("%s: %v", result.Name, problem)
				}
			}
		})
	}
}
