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
	"encoding/base64"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"sigs.k8s.io/yaml"
)

// blob is any document of the catalog, with the fields that matter here.
type blob struct {
	Schema, Package, Name, Image string

	// Of a package.
	DefaultChannel, Description string
	Icon                        struct {
		Base64Data []byte `json:"base64data"`
		MediaType  string `json:"mediatype"`
	}

	// Of a channel.
	Entries []struct{ Name, Replaces, SkipRange string }

	// Of a bundle.
	Properties []struct {
		Type  string
		Value any
	}
	RelatedImages []operatorsv1alpha1.RelatedImage
}

// catalog reads the catalog's documents of a schema.
func catalog(t *testing.T, schema string) map[string]blob {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "catalog/memcached-operator/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]blob{}
	for _, file := range files {
		var one blob
		path, _ := filepath.Rel(root, file)
		if err := yaml.Unmarshal(read(t, path), &one); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if one.Schema == schema {
			found[one.Name] = one
		}
	}
	return found
}

func TestPackageHasWhatPeopleSee(t *testing.T) {
	csv, packages := load(t).CSV, catalog(t, "olm.package")
	got, found := packages["memcached-operator"]
	if !found || len(packages) != 1 {
		t.Fatalf("packages %v", packages)
	}
	if got.DefaultChannel != "stable" {
		t.Errorf("default channel %q", got.DefaultChannel)
	}
	if diff := cmp.Diff(csv.Spec.Description, got.Description); diff != "" {
		t.Errorf("description (-bundle +catalog):\n%s", diff)
	}
	if base64.StdEncoding.EncodeToString(got.Icon.Base64Data) != csv.Spec.Icon[0].Data || got.Icon.MediaType != csv.Spec.Icon[0].MediaType {
		t.Error("the icon is not the bundle's")
	}
}

// Each version replaces the one before it, and can be reached from all before
// it at once; skipRange alone would leave those out that nothing replaces.
func TestChannelsAreChains(t *testing.T) {
	channels, bundles := catalog(t, "olm.channel"), catalog(t, "olm.bundle")
	entered := map[string]bool{}
	for _, name := range []string{"stable", "candidate"} {
		channel, found := channels[name]
		if !found || channel.Package != "memcached-operator" {
			t.Errorf("there is no channel %s", name)
		}
		before := ""
		for _, entry := range channel.Entries {
			entered[entry.Name] = true
			if _, found := bundles[entry.Name]; !found {
				t.Errorf("%s: there is no bundle %s", name, entry.Name)
			}
			if entry.Replaces != before {
				t.Errorf("%s: %s replaces %q, want %q", name, entry.Name, entry.Replaces, before)
			}
			checkSkipRange(t, entry.Name, before, entry.SkipRange)
			before = entry.Name
		}
	}
	if len(channels) != 2 {
		t.Errorf("%d channels, want 2", len(channels))
	}
	for name := range bundles {
		if !entered[name] {
			t.Errorf("%s is in no channel", name)
		}
	}
}

func checkSkipRange(t *testing.T, name, before, skipRange string) {
	t.Helper()
	skipped, err := semver.ParseRange(skipRange)
	if err != nil {
		t.Errorf("%s: skipRange %q: %v", name, skipRange, err)
		return
	}
	if skipped(version(t, name)) {
		t.Errorf("%s: skipRange %q has itself", name, skipRange)
	}
	if before != "" && (!skipped(version(t, before)) || !version(t, before).LT(version(t, name))) {
		t.Errorf("%s comes after %s, with skipRange %q", name, before, skipRange)
	}
}

func version(t *testing.T, name string) semver.Version {
	t.Helper()
	parsed, err := semver.Parse(name[len("memcached-operator.v"):])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return parsed
}

// expectHead expects that a bundle is the newest of some channel.
func expectHead(t *testing.T, name string) {
	t.Helper()
	for _, channel := range catalog(t, "olm.channel") {
		if last := len(channel.Entries) - 1; last >= 0 && channel.Entries[last].Name == name {
			return
		}
	}
	t.Errorf("%s is not the head of any channel: run make catalog", name)
}

// The bundle of the repository is the newest of its channel, and the catalog
// says of it what it says of itself.
func TestCatalogHasThisBundle(t *testing.T) {
	bundle := load(t)
	expectHead(t, bundle.Name)
	got := catalog(t, "olm.bundle")[bundle.Name]
	image := regexp.MustCompile(`^[^/]+/.+-bundle(:v` + regexp.QuoteMeta(bundle.CSV.Spec.Version.String()) + `|@sha256:[0-9a-f]{64})$`)
	if !image.MatchString(got.Image) {
		t.Errorf("image %q, want %s", got.Image, image)
	}
	at := slices.IndexFunc(got.Properties, func(p struct {
		Type  string
		Value any
	}) bool {
		return p.Type == "olm.csv.metadata"
	})
	if at < 0 {
		t.Fatal("the catalog has no metadata of the ClusterServiceVersion")
	}
	var annotations map[string]any
	if metadata, is := got.Properties[at].Value.(map[string]any); is {
		annotations, _ = metadata["annotations"].(map[string]any)
	}
	for key, want := range bundle.CSV.Annotations {
		if annotations[key] != want {
			t.Errorf("annotation %s is out of date: run make catalog", key)
		}
	}
	for _, image := range bundle.CSV.Spec.RelatedImages {
		if !slices.Contains(got.RelatedImages, image) {
			t.Errorf("%v is not among the related images: run make catalog", image)
		}
	}
}
