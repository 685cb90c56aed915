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

package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// lookInterval is how often a fleet is looked at while it is waited for. When it
// was done is known exactly all the same.
const lookInterval = 10 * time.Millisecond

// Watch starts with an empty namespace; Close ends it.
func (k *Kind) Watch(ctx context.Context, namespace string) (*Fleet, error) {
	f := &Fleet{kind: k, client: k.client.Namespace(namespace), namespace: namespace, members: map[string]*member{}}
	list, err := f.client.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("watch namespace %s: %w", namespace, err)
	}
	ctx, f.end = context.WithCancel(ctx)
	events, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return f.client.Watch(ctx, options)
		},
	})
	if err != nil {
		f.end()
		return nil, fmt.Errorf("watch namespace %s: %w", namespace, err)
	}
	go func() {
		for event := range events.ResultChan() {
			f.see(event)
		}
		f.fail(errors.New("the watch has ended"))
	}()
	return f, nil
}

// Close ends the watch.
func (f *Fleet) Close() { f.end() }

func (f *Fleet) see(event watch.Event) {
	resource, is := event.Object.(*unstructured.Unstructured)
	if !is {
		f.fail(fmt.Errorf("the watch failed: %v", event.Object))
		return
	}
	settled := event.Type != watch.Deleted && f.kind.settled(resource)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	m := f.members[resource.GetName()]
	switch {
	case m == nil:
		return // none of ours
	case event.Type == watch.Deleted:
		delete(f.members, resource.GetName())
	case settled:
		m.settled = resource.GetGeneration()
	default:
		return // work is under way
	}
	f.changed = time.Now()
}

func (f *Fleet) fail(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.failure == nil {
		f.failure = err
	}
}

func (f *Fleet) until(ctx context.Context, what string, done func(*member) bool) (time.Time, error) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		left, changed, err := f.count(done)
		if err == nil && left == 0 {
			return changed, nil
		}
		if err == nil {
			select {
			case <-ticker.C:
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return time.Time{}, fmt.Errorf("%d resources in namespace %s are not %s: %w", left, f.namespace, what, err)
	}
}

func (f *Fleet) count(done func(*member) bool) (left int, changed time.Time, failure error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, m := range f.members {
		if !done(m) {
			left++
		}
	}
	return left, f.changed, f.failure
}
