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

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// auditEvent is what the tests read of an entry of the API server's audit log.
type auditEvent struct {
	Verb string
	User struct {
		Username string
	}
	ObjectRef *struct {
		Namespace, Resource, Subresource, APIGroup string
	}
	ResponseStatus struct {
		Code int
	}
}

// requests returns what the manager asked of the API server in a namespace
// since the audit log had that many bytes, as "verb resource[/subresource] code".
// Events are left out, as they are in the budgets.
func requests(namespace string, since int) []string {
	GinkgoHelper()
	var all []string
	for _, event := range auditEvents(since) {
		if event.User.Username != managerUser || event.ObjectRef == nil || event.ObjectRef.Namespace != namespace ||
			event.ObjectRef.Resource == "events" || event.Verb == "watch" || event.Verb == "list" {
			continue
		}
		resource := event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			resource += "/" + event.ObjectRef.Subresource
		}
		all = append(all, fmt.Sprintf("%s %s %d", event.Verb, resource, event.ResponseStatus.Code))
	}
	return all
}

// childWrites keeps of requests those that write a Deployment or a Service.
func childWrites(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(request string) bool {
		return strings.Contains(request, "memcacheds")
	})
}

// unusedPermissions returns what the generated role allows and the manager never
// asked for.
func unusedPermissions() []string {
	GinkgoHelper()
	used := map[string]bool{}
	for _, event := range auditEvents(0) {
		if event.User.Username == managerUser && event.ObjectRef != nil {
			resource := strings.TrimSuffix(event.ObjectRef.Resource+"/"+event.ObjectRef.Subresource, "/")
			used[strings.Join([]string{event.Verb, event.ObjectRef.APIGroup, resource}, " ")] = true
		}
	}
	var unused []string
	for _, rule := range managerRole().Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					permission := strings.Join([]string{verb, group, resource}, " ")
					if !used[permission] && !neededElsewhere(verb, group, resource) {
						unused = append(unused, permission)
					}
				}
			}
		}
	}
	return unused
}

// neededElsewhere tells what the audit log of these specs cannot show: caches
// list where the API server cannot stream, an apply that creates is logged as a
// patch but needs create, events of leader election are of the older kind, and an
// event is patched when it occurs again.
func neededElsewhere(verb, group, resource string) bool {
	return verb == "list" || verb == "create" && resource != "events" ||
		resource == "events" && (group == "" || verb == "patch")
}

// auditMark is where the audit log ends now.
func auditMark() int {
	GinkgoHelper()
	info, err := os.Stat(auditLog)
	Expect(err).NotTo(HaveOccurred())
	return int(info.Size())
}

func auditEvents(since int) []auditEvent {
	GinkgoHelper()
	text, err := os.ReadFile(auditLog)
	Expect(err).NotTo(HaveOccurred())
	var all []auditEvent
	lines := bufio.NewScanner(bytes.NewReader(text[since:]))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event auditEvent
		if json.Unmarshal(lines.Bytes(), &event) == nil { // the last line may be half written
			all = append(all, event)
		}
	}
	return all
}
