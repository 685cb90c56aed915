//go:build e2e

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

package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

var _ = Describe("The operator", func() {
	It("reads and writes within its budget on a real node", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		count := func(phase string, budget int, action func()) {
			mark := time.Now()
			action()
			asked := operatorRequests(namespace, mark)
			GinkgoWriter.Printf("%s: %d requests: %v\n", phase, len(asked), asked)
			Expect(len(asked)).To(BeNumerically("<=", budget), "%s: %v", phase, asked)
		}
		var mc *cachev1alpha1.Memcached
		// Budgets: those of the contract, and one status write for each change
		// in the number of ready nodes.
		count("create", 5+1, func() { mc = newMemcached(ctx, namespace, 1); waitReady(ctx, mc) })
		count("scale", 3+2, func() {
			kubectl("scale", "-n", namespace, "memcached/cache", "--replicas=3")
			waitReady(ctx, mc)
		})
		count("delete", 3+3, func() { kubectl("delete", "memcached", "cache", "-n", namespace) })
	})

	It("lets only those read its metrics who may, over HTTP/1.1", func(ctx SpecContext) {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: operatorNamespace, Name: operatorName + "-metrics-service"}}
		Expect(get(ctx, service)).To(Succeed())
		address := net.JoinHostPort(service.Spec.ClusterIP, "8443")
		reader := newNamespace(ctx)
		kubectl("create", "clusterrolebinding", reader, "--clusterrole=memcached-operator-metrics-reader", "--serviceaccount="+reader+":default")
		DeferCleanup(func() { kubectl("delete", "clusterrolebinding", reader) })
		stranger := newNamespace(ctx)

		for token, want := range map[string]int{
			"": http.StatusUnauthorized,
			kubectl("create", "token", "-n", stranger, "default"): http.StatusForbidden,
			kubectl("create", "token", "-n", reader, "default"):   http.StatusOK,
		} {
			code, body := fetchMetrics(ctx, address, token)
			Expect(code).To(Equal(want))
			if code == http.StatusOK {
				Expect(body).To(ContainSubstring("controller_runtime_reconcile_total"))
			}
		}
		connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = connection.Close() }()
		Expect(connection.ConnectionState().NegotiatedProtocol).To(Equal("http/1.1"))
	})

	It("gives Kubernetes' own roles their share of the resource", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		may := func(role, verb, subresource string) string {
			user := role + "-of-" + namespace
			_, _ = try("kubectl", "create", "rolebinding", role, "-n", namespace, "--clusterrole="+role, "--user="+user)
			answer, _ := try("kubectl", "auth", "can-i", verb, "memcacheds.cache.example.com", "--subresource="+subresource,
				"-n", namespace, "--as="+user)
			return answer
		}
		Eventually(func() string { return may("view", "get", "") }).Should(Equal("yes")) // aggregation takes a moment
		Expect(may("view", "patch", "")).To(Equal("no"))
		Expect(may("edit", "create", "")).To(Equal("yes"))
		Expect(may("edit", "patch", "scale")).To(Equal("yes"))
		Expect(may("admin", "deletecollection", "")).To(Equal("yes"))
		Expect(may("admin", "patch", "status")).To(Equal("no"))
	})

	It("never reads Secrets and may not", func(SpecContext) {
		for _, verb := range []string{"get", "list", "watch"} {
			answer, _ := try("kubectl", "auth", "can-i", verb, "secrets", "-A", "--as="+operatorUser)
			Expect(answer).To(Equal("no"))
		}
	})

	Describe("replaced", Serial, func() {
		It("by a rolling update while resources change, loses neither nodes nor changes", func(ctx SpecContext) {
			namespace := newNamespace(ctx)
			mc := newMemcached(ctx, namespace, 2)
			waitReady(ctx, mc)
			kept := nodeUIDs(ctx, mc)
			outages, silence := outagesOf(ctx, mc), trafficTo(ctx, mc)
			kubectl("rollout", "restart", "-n", operatorNamespace, "deployment/"+operatorName)
			kubectl("scale", "-n", namespace, "memcached/cache", "--replicas=3")
			kubectl("rollout", "status", "-n", operatorNamespace, "deployment/"+operatorName, "--timeout=2m")
			waitReady(ctx, mc)
			Expect(nodeUIDs(ctx, mc)).To(ContainElements(kept))
			Expect(outages.Load()).To(BeZero(), "by the status")
			Expect(silence.Load()).To(BeZero(), "by the clients")
		})

		It("by a new pod, repairs what happened meanwhile, and writes nothing where nothing did", func(ctx SpecContext) {
			changed, untouched := newMemcached(ctx, newNamespace(ctx), 1), newMemcached(ctx, newNamespace(ctx), 1)
			waitReady(ctx, changed)
			waitReady(ctx, untouched)
			mark := time.Now()
			kubectl("scale", "-n", operatorNamespace, "deployment/"+operatorName, "--replicas=0")
			kubectl("wait", "-n", operatorNamespace, "--for=delete", "pod", "-l", "control-plane=controller-manager", "--timeout=1m")
			kubectl("delete", "service", "cache", "-n", changed.Namespace)
			kubectl("scale", "-n", operatorNamespace, "deployment/"+operatorName, "--replicas=1")
			service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: changed.Namespace, Name: "cache"}}
			Eventually(func() error { return get(ctx, service) }).Should(Succeed())
			Expect(operatorRequests(untouched.Namespace, mark)).To(BeEmpty())
		})
	})

	Describe("leading", Serial, leading)

	// Last, so that the cache has been idle for the whole run.
	It("asks nothing about a cache that nobody touches", Serial, Label("idle"), func(ctx SpecContext) {
		mc := &cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: idleNamespace, Name: "cache"}}
		waitReady(ctx, mc)
		var since time.Time
		for _, condition := range mc.Status.Conditions {
			if condition.LastTransitionTime.After(since) {
				since = condition.LastTransitionTime.Time
			}
		}
		since = since.Add(2 * time.Second) // the transition's own write, at one second's precision
		if idle := 2*time.Minute - time.Since(since); idle > 0 {
			time.Sleep(idle)
		}
		Expect(operatorRequests(idleNamespace, since)).To(BeEmpty())
		GinkgoWriter.Printf("no request in %s\n", time.Since(since).Round(time.Second))
	})

	// After all others: it takes away what they need.
	Describe("removed in the wrong order", Serial, Ordered, removal)
})

func fetchMetrics(ctx SpecContext, address, token string) (int, string) {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/metrics", nil)
	Expect(err).NotTo(HaveOccurred())
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	// The certificate is self-signed; that is not what is tested here.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	response, err := (&http.Client{Transport: transport}).Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, string(body)
}

// request is a line of the audit log.
type request struct {
	Verb string
	User struct {
		Username string
		Extra    map[string][]string
	}
	ObjectRef                struct{ Namespace, Resource, Subresource string }
	RequestReceivedTimestamp time.Time
}

func (r request) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s %s/%s", r.Verb, r.ObjectRef.Resource, r.ObjectRef.Subresource), "/")
}

// pod is the operator's that asked.
func (r request) pod() string {
	return strings.Join(r.User.Extra["authentication.kubernetes.io/pod-name"], "")
}

// operatorRequests returns what the operator asked of the API server in a
// namespace since then, events apart, from the audit log.
func operatorRequests(namespace string, since time.Time) []request {
	GinkgoHelper()
	log, err := os.Open(os.Getenv("AUDIT_LOG"))
	Expect(err).NotTo(HaveOccurred(), "AUDIT_LOG must name the API server's audit log")
	defer func() { _ = log.Close() }()
	var requests []request
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r request
		if json.Unmarshal(lines.Bytes(), &r) == nil && r.User.Username == operatorUser && r.ObjectRef.Namespace == namespace &&
			r.ObjectRef.Resource != "events" && !r.RequestReceivedTimestamp.Before(since) {
			requests = append(requests, r)
		}
	}
	return requests
}
