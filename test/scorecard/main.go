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

// Command scorecard is a test image for operator-sdk's scorecard: it tries each
// example of a bundle on the cluster that it runs in, as the reader of a
// catalog would, and prints a TestStatus.
//
// The operator must be installed, and the pod's ServiceAccount have the rights
// in rbac.yaml.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/operator-framework/api/pkg/apis/scorecard/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const (
	// bundleDir is where scorecard puts the bundle.
	bundleDir = "/bundle"
	// namespaceFile names the namespace that scorecard runs its tests in.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
	// patience is for all examples together; scorecard's own is its --wait-time.
	patience = 4 * time.Minute
)

func main() {
	ctx, cancel := context.WithTimeout(ctrl.SetupSignalHandler(), patience)
	defer cancel()
	result := v1alpha3.TestResult{Name: "examples-serve", State: v1alpha3.PassState}
	log, err := try(ctx)
	result.Log = log
	if err != nil {
		result.State, result.Errors = v1alpha3.FailState, []string{err.Error()}
		result.Suggestions = []string{"kubectl describe memcacheds; is the operator installed, and does the ServiceAccount have the rights of test/scorecard/rbac.yaml?"}
	}
	status, err := json.MarshalIndent(v1alpha3.TestStatus{Results: []v1alpha3.TestResult{result}}, "", "  ")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(status))
}

// try tries every example, one after the other, and says what it saw.
func try(ctx context.Context) (string, error) {
	examples, err := readExamples(bundleDir)
	if err != nil {
		return "", err
	}
	scheme := runtime.NewScheme()
	if err := cachev1alpha1.AddToScheme(scheme); err != nil {
		return "", err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return "", err
	}
	cluster, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return "", err
	}
	namespace, err := os.ReadFile(namespaceFile)
	if err != nil {
		return "", err
	}
	log := ""
	for _, mc := range examples {
		mc.Namespace = string(namespace)
		t := trial{Client: cluster, mc: mc}
		if err := t.run(ctx); err != nil {
			return log + t.log.String(), fmt.Errorf("example %s: %w", mc.Name, err)
		}
		log += t.log.String()
	}
	return log, nil
}

// readExamples reads what the CSV's annotation alm-examples shows to users.
func readExamples(dir string) ([]*cachev1alpha1.Memcached, error) {
	found, err := filepath.Glob(filepath.Join(dir, "manifests", "*clusterserviceversion.yaml"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("expected one CSV in %s, found %q", dir, found)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	var csv struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := yaml.Unmarshal(content, &csv); err != nil {
		return nil, err
	}
	var examples []*cachev1alpha1.Memcached
	if err := json.Unmarshal([]byte(csv.Metadata.Annotations["alm-examples"]), &examples); err != nil {
		return nil, fmt.Errorf("read alm-examples: %w", err)
	}
	if len(examples) == 0 {
		return nil, fmt.Errorf("the CSV has no example")
	}
	return examples, nil
}
