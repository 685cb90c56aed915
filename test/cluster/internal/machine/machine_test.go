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

package machine

import (
	"os"
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	good := Facts{OS: "linux", Root: true, Debian: true, Cgroups: true, Go: true}
	for name, tc := range map[string]struct {
		change func(*Facts)
		want   []string // one word for each problem, in order
	}{
		"nothing is in the way on Debian as root": {func(*Facts) {}, nil},
		"a Mac is told only that":                 {func(f *Facts) { *f = Facts{OS: "darwin"} }, []string{"darwin"}},
		"a user without rights":                   {func(f *Facts) { f.Root = false }, []string{"sudo"}},
		"another distribution":                    {func(f *Facts) { f.Debian = false }, []string{"apt-get"}},
		"no cgroups":                              {func(f *Facts) { f.Cgroups = false }, []string{"/sys/fs/cgroup"}},
		"no Go":                                   {func(f *Facts) { f.Go = false }, []string{"go command"}},
		"all problems are named at once": {
			func(f *Facts) { *f = Facts{OS: "linux"} },
			[]string{"sudo", "apt-get", "/sys/fs/cgroup", "go command"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := good
			tc.change(&facts)
			got := facts.Problems()
			if len(got) != len(tc.want) {
				t.Fatalf("got %d problems, want %d: %q", len(got), len(tc.want), got)
			}
			for i, word := range tc.want {
				if !strings.Contains(got[i], word) {
					t.Errorf("problem %q does not mention %q", got[i], word)
				}
			}
		})
	}
}

func TestRefusalNamesProblemsAndTheOtherWay(t *testing.T) {
	t.Parallel()
	if err := Refuse(nil); err != nil {
		t.Errorf("refused without a problem: %v", err)
	}
	err := Refuse([]string{"it is a toaster", "it is full"})
	if err == nil {
		t.Fatal("did not refuse")
	}
	for _, part := range []string{"it is a toaster", "it is full", "make demo USE_EXISTING_CLUSTER=true IMG="} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the refusal does not mention %q: %v", part, err)
		}
	}
}

func TestAbsentPackages(t *testing.T) {
	t.Parallel()
	got := absent([]requirement{
		{"present-command", "go"},
		{"present-file", os.Args[0]},
		{"absent-command", "no-such-command"},
		{"absent-file", "/no/such/file"},
	})
	if want := "absent-command absent-file"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
