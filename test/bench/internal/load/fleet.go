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

// Package load creates, scales and deletes many resources at a time, and sees
// when their operator is done with them.
//
// Reading order: fleet.go (what is asked), watch.go (what is seen).
package load

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// clients is how many requests are under way at a time: more than an operator
// has workers, so that the load is not what is measured.
const clients = 16

// Fleet is the resources of one namespace.
type Fleet struct {
	kind      *Kind
	client    dynamic.ResourceInterface
	namespace string

	mutex   sync.Mutex
	members map[string]*member
	// changed is when a member was last seen to change.
	changed time.Time
	failure error
	end     context.CancelFunc
}

// member is one resource: the generation that was asked for, and the one that
// the operator is known to be done with; 0 for none.
type member struct {
	wanted, settled int64
}

// Create creates as many resources as given, numbered on from those that exist.
func (f *Fleet) Create(ctx context.Context, n int) error {
	f.mutex.Lock()
	first := len(f.members)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("cache-%05d", first+i)
		f.members[names[i]] = &member{wanted: 1}
	}
	f.mutex.Unlock()
	return f.each(ctx, names, func(ctx context.Context, name string) error {
		resource := &unstructured.Unstructured{Object: f.kind.template()}
		resource.SetNamespace(f.namespace)
		resource.SetName(name)
		_, err := f.client.Create(ctx, resource, metav1.CreateOptions{})
		return err
	})
}

// Scale gives all resources that many nodes.
func (f *Fleet) Scale(ctx context.Context, size int) error {
	var value any = size
	for _, field := range slices.Backward(f.kind.size) {
		value = map[string]any{field: value}
	}
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return f.each(ctx, f.names(), func(ctx context.Context, name string) error {
		scaled, err := f.client.Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{})
		if err != nil {
			return err
		}
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.members[name].wanted = scaled.GetGeneration()
		return nil
	})
}

// Delete deletes all resources.
func (f *Fleet) Delete(ctx context.Context) error {
	return f.each(ctx, f.names(), func(ctx context.Context, name string) error {
		err := f.client.Delete(ctx, name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// Settled waits until the operator is done with all resources, and returns when
// that was.
func (f *Fleet) Settled(ctx context.Context) (time.Time, error) {
	return f.until(ctx, "settled", func(m *member) bool { return m.settled >= m.wanted })
}

// Gone waits until no resource is left, and returns when that was.
func (f *Fleet) Gone(ctx context.Context) (time.Time, error) {
	return f.until(ctx, "gone", func(*member) bool { return false })
}

func (f *Fleet) names() []string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var all []string
	for name := range f.members {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (f *Fleet) each(ctx context.Context, names []string, act func(context.Context, string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(clients)
	for _, name := range names {
		group.Go(func() error { return act(ctx, name) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("put load on namespace %s: %w", f.namespace, err)
	}
	return nil
}
