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
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/operator-framework/operator-lib/leader"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

var _ = Describe("A leader for life", func() {
	var namespace, probes string
	var leads chan struct{}

	BeforeEach(func() {
		namespace, probes, leads = newNamespace(), freeAddress(), make(chan struct{})
		grantRoleForLife(namespace)
		newPod(namespace, "me", "")
		GinkgoT().Setenv("POD_NAME", "me")
	})

	start := func(config *rest.Config) func() error {
		GinkgoHelper()
		return startManager(config, ctrl.Options{HealthProbeBindAddress: probes}, func(mgr ctrl.Manager) {
			Expect(mgr.Add(LeadForLife(config, func() error {
				close(leads)
				return nil
			}))).To(Succeed())
		})
	}

	It("leads at once where nobody does", func() {
		start(operatorConfig)
		Eventually(leads).Should(BeClosed())
		lock := lockOf(namespace)
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(lock), lock)).To(Succeed())
		Expect(lock.OwnerReferences).To(ConsistOf(And(HaveField("Kind", "Pod"), HaveField("Name", "me"))))
	})

	It("goes on leading when its process was restarted", func() {
		hold(namespace, getPod(namespace, "me"))
		start(operatorConfig)
		Eventually(leads).Should(BeClosed())
	})

	It("answers probes and starts nothing while another pod leads", func() {
		lock := hold(namespace, newPod(namespace, "other", ""))
		start(operatorConfig)
		Eventually(func() (int, error) { return probe(probes) }).Should(Equal(http.StatusOK))
		Consistently(leads, 3*time.Second).ShouldNot(BeClosed())
		Expect(probe(probes)).To(Equal(http.StatusOK))

		Expect(k8sClient.Delete(ctx, lock)).To(Succeed()) // as garbage collection does when the other pod is gone
		Eventually(leads).Should(BeClosed())
	})

	It("removes a leader that was evicted", func() {
		other := newPod(namespace, "other", "")
		lock := hold(namespace, other)
		other.Status.Phase, other.Status.Reason = corev1.PodFailed, "Evicted"
		Expect(k8sClient.Status().Update(ctx, other)).To(Succeed())
		start(operatorConfig)
		Eventually(func() error { return k8sClient.Get(ctx, client.ObjectKeyFromObject(other), other) }).
			Should(Satisfy(apierrors.IsNotFound))
		Expect(k8sClient.Delete(ctx, lock)).To(Succeed())
		Eventually(leads).Should(BeClosed())
	})

	It("takes over from a leader whose machine does not answer", func() {
		machine := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "machine-of-" + namespace}}
		Expect(k8sClient.Create(ctx, machine)).To(Succeed())
		machine.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
		Expect(k8sClient.Status().Update(ctx, machine)).To(Succeed())
		hold(namespace, newPod(namespace, "other", machine.Name))
		start(operatorConfig)
		Eventually(leads).Should(BeClosed())
	})

	It("ends promptly when told to while it waits", func() {
		hold(namespace, newPod(namespace, "other", ""))
		stop := start(operatorConfig)
		Eventually(func() (int, error) { return probe(probes) }).Should(Equal(http.StatusOK))
		Consistently(leads).ShouldNot(BeClosed())
		endsPromptly(stop)
		Expect(leads).NotTo(BeClosed())
	})

	It("neither floods the API server nor lingers when it cannot read the lock", func() {
		hold(namespace, newPod(namespace, "other", ""))
		requests := &traffic{resource: "configmaps", before: func(method string, count int) error {
			if method == http.MethodGet && count > 0 {
				return errors.New("connection lost")
			}
			return nil
		}}
		stop := start(requests.of(operatorConfig))
		Eventually(func() int { return requests.count(http.MethodGet) }).Should(BeNumerically(">", 1))
		Consistently(leads, 3*time.Second).ShouldNot(BeClosed())
		all := requests.count(http.MethodGet, http.MethodPost)
		AddReportEntry("requests in three seconds", fmt.Sprint(all))
		Expect(all).To(BeNumerically("<", 50))
		endsPromptly(stop)
	})

	It("says so, and ends, outside a pod", func() {
		leaderNamespace = func() (string, error) { return "", leader.ErrNoNamespace }
		err := run(func() error {
			close(leads)
			return nil
		})
		Expect(err).To(And(MatchError(leader.ErrNoNamespace), MatchError(ContainSubstring("--leader-election=none"))))
		Expect(leads).NotTo(BeClosed())
	})

	It("ends the manager when it cannot start to lead", func() {
		Expect(run(func() error { return errors.New("no controller") })).To(MatchError("no controller"))
	})
})

// run runs a manager that should end by itself, and returns how.
func run(lead func() error) error {
	GinkgoHelper()
	mgr, err := ctrl.NewManager(operatorConfig, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.Add(LeadForLife(operatorConfig, lead))).To(Succeed())
	bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return mgr.Start(bounded)
}

// endsPromptly allows for no wait that does not heed its context, such as a
// manager's grace period for what it runs.
func endsPromptly(stop func() error) {
	GinkgoHelper()
	told := time.Now()
	Expect(stop()).To(Succeed())
	AddReportEntry("ended after", time.Since(told).String())
	Expect(time.Since(told)).To(BeNumerically("<", 6*time.Second))
}

// grantRoleForLife gives the operator what the two roles for a leader for life
// say, and nothing else.
func grantRoleForLife(namespace string) {
	GinkgoHelper()
	var role rbacv1.Role
	readRole("leader_for_life_role.yaml", &role)
	grant(namespace, role.Rules...)

	var nodes rbacv1.ClusterRole
	readRole("leader_for_life_node_role.yaml", &nodes)
	nodes.Name = namespace
	Expect(k8sClient.Create(ctx, &nodes)).To(Succeed())
	Expect(k8sClient.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: nodes.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: operatorUser}},
	})).To(Succeed())
}

func readRole(file string, role any) {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "rbac", file))
	Expect(err).NotTo(HaveOccurred())
	Expect(yaml.UnmarshalStrict(text, role)).To(Succeed())
}

func lockOf(namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "memcached-operator-lock"}}
}

// hold makes a pod the leader.
func hold(namespace string, pod *corev1.Pod) *corev1.ConfigMap {
	GinkgoHelper()
	lock := lockOf(namespace)
	lock.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}}
	Expect(k8sClient.Create(ctx, lock)).To(Succeed())
	return lock
}

func probe(address string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// freeAddress is one that nobody listens on.
func freeAddress() string {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(listener.Close()).To(Succeed()) }()
	return listener.Addr().String()
}
