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
	"context"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// variable are the fields that differ between two runs of the same plan.
var variable = []string{
	"uid", "resourceVersion", "generation", "observedGeneration", "creationTimestamp", "managedFields",
	"lastTransitionTime", "lastUpdateTime", "startTime", "startedAt", "deletionTimestamp",
}

// Snapshot returns what exists of the operator's work in the namespace, as text
// in which nothing is left that differs from run to run; and the same without
// the revisions of the Deployment.
func (s *Stage) Snapshot(ctx context.Context) (whole, present string, err error) {
	for _, list := range []client.ObjectList{
		&cachev1alpha1.MemcachedList{}, &appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &corev1.ServiceList{}, &corev1.PodList{},
	} {
		texts, err := s.settled(ctx, list)
		if err != nil {
			return "", "", err
		}
		for _, text := range texts {
			whole += "---\n" + text
			if _, revision := list.(*appsv1.ReplicaSetList); !revision {
				present += "---\n" + history.ReplaceAllString(text, "")
			}
		}
	}
	return whole, present, nil
}

// history is what tells how a Deployment came to be as it is: its revision, and
// which ReplicaSet was the last to progress.
var history = regexp.MustCompile(` *deployment.kubernetes.io/revision: .*\n|ReplicaSet "[^"]*"`)

func (s *Stage) settled(ctx context.Context, list client.ObjectList) ([]string, error) {
	if err := s.Admin.List(ctx, list, client.InNamespace(s.Namespace)); err != nil {
		return nil, err
	}
	items, err := apimeta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, item := range items {
		kind, err := apiutil.GVKForObject(item, scheme.Scheme)
		if err != nil {
			return nil, err
		}
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(item)
		if err != nil {
			return nil, err
		}
		blank(object, s.Namespace)
		object["kind"] = kind.Kind
		text, err := yaml.Marshal(object)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts, nil
}

// namedPod is how messages of others name a pod whose name is random.
var namedPod = regexp.MustCompile(`pods "[^"]*"`)

// blank removes from a part of an object what is variable.
func blank(part any, namespace string) {
	switch part := part.(type) {
	case map[string]any:
		for _, field := range variable {
			delete(part, field)
		}
		if part["generateName"] != nil {
			delete(part, "name") // its end is random
		}
		for key, value := range part {
			if text, is := value.(string); is {
				part[key] = namedPod.ReplaceAllString(strings.ReplaceAll(text, namespace, "NAMESPACE"), `pods "POD"`)
			}
			blank(value, namespace)
		}
	case []any:
		for _, value := range part {
			blank(value, namespace)
		}
		slices.SortStableFunc(part, func(a, b any) int { return strings.Compare(typeOf(a), typeOf(b)) })
	}
}

// typeOf is the key of a list of conditions, which are in the order in which
// they came about.
func typeOf(item any) string {
	fields, _ := item.(map[string]any)
	text, _ := fields["type"].(string)
	return text
}
