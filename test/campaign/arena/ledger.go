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
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Ledger is what was seen to happen in a stage's namespace, by whomever.
type Ledger struct {
	mutex  sync.Mutex
	known  map[types.UID]bool
	counts map[string]int
	pods   map[types.UID]podState

	fewestReady, mostRunning int

	changed    time.Time
	firstReady map[int]time.Time // when so many nodes were ready for the first time
	claims     []claim
}

// claim is a status that says Ready.
type claim struct {
	size int
	at   time.Time
}

type podState struct{ running, ready bool }

func newLedger() *Ledger {
	return &Ledger{known: map[types.UID]bool{}, counts: map[string]int{}, pods: map[types.UID]podState{}, firstReady: map[int]time.Time{}}
}

// Mark begins the observation of how many nodes there are at the least and at
// the most.
func (l *Ledger) Mark() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.mostRunning, l.fewestReady = l.count()
}

// Extremes returns the most nodes that ran, terminating ones not counted, and
// the fewest that were ready, since Mark.
func (l *Ledger) Extremes() (mostRunning, fewestReady int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.mostRunning, l.fewestReady
}

// lag is how much later than another kind's one kind's notifications may come.
const lag = 2 * time.Second

// Premature returns the sizes of which a status said that all nodes were ready
// before as many had ever been.
func (l *Ledger) Premature() []int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var sizes []int
	for _, claim := range l.claims {
		if first := l.firstReady[claim.size]; first.IsZero() || first.After(claim.at.Add(lag)) {
			sizes = append(sizes, claim.size)
		}
	}
	return sizes
}

func (l *Ledger) lastChange() time.Time {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.changed
}

// Counts returns how many objects of each kind came and went, such as
// "created Deployment".
func (l *Ledger) Counts() map[string]int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return maps.Clone(l.counts)
}

func (l *Ledger) count() (running, ready int) {
	for _, pod := range l.pods {
		if pod.running {
			running++
		}
		if pod.ready {
			ready++
		}
	}
	return running, ready
}

// note takes an object that exists.
func (l *Ledger) note(kind string, object client.Object) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.changed = time.Now()
	if !l.known[object.GetUID()] {
		l.known[object.GetUID()] = true
		l.counts["created "+kind]++
	}
	if mc, ok := object.(*cachev1alpha1.Memcached); ok && mc.Status.ObservedGeneration == mc.Generation &&
		meta.IsStatusConditionTrue(mc.Status.Conditions, cachev1alpha1.ConditionReady) {
		l.claims = append(l.claims, claim{int(mc.Spec.Size), time.Now()})
	}
	if pod, ok := object.(*corev1.Pod); ok && metav1.GetControllerOf(pod) != nil {
		running := pod.DeletionTimestamp.IsZero()
		l.pods[pod.UID] = podState{running: running, ready: running && podReady(pod)}
		l.recount()
	}
}

// forget takes an object that is gone.
func (l *Ledger) forget(kind string, object client.Object) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.changed = time.Now()
	l.counts["deleted "+kind]++
	delete(l.pods, object.GetUID())
	l.recount()
}

func (l *Ledger) recount() {
	running, ready := l.count()
	l.mostRunning, l.fewestReady = max(l.mostRunning, running), min(l.fewestReady, ready)
	for n := ready; n > 0 && l.firstReady[n].IsZero(); n-- {
		l.firstReady[n] = time.Now()
	}
}

func podReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// watch fills the ledgers of all stages.
func (a *Arena) watch(ctx context.Context, cfg *rest.Config) error {
	seen, err := cache.New(cfg, cache.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	for kind, object := range map[string]client.Object{
		"Memcached": &cachev1alpha1.Memcached{}, "Deployment": &appsv1.Deployment{}, "ReplicaSet": &appsv1.ReplicaSet{},
		"Service": &corev1.Service{}, "Pod": &corev1.Pod{},
	} {
		informer, err := seen.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		tell := func(what func(*Ledger, string, client.Object)) func(any) {
			return func(object any) {
				if gone, is := object.(toolscache.DeletedFinalStateUnknown); is {
					object = gone.Obj
				}
				o := object.(client.Object)
				if ledger, known := a.ledgers.Load(o.GetNamespace()); known {
					what(ledger.(*Ledger), kind, o)
				}
			}
		}
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: tell((*Ledger).note), DeleteFunc: tell((*Ledger).forget),
			UpdateFunc: func(_, object any) { tell((*Ledger).note)(object) },
		})
		if err != nil {
			return err
		}
	}
	a.running.Go(func() { _ = seen.Start(ctx) })
	seen.WaitForCacheSync(ctx)
	return nil
}
