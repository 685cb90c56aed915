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

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/memcached"
)

// trial is one example's.
type trial struct {
	client.Client
	mc  *cachev1alpha1.Memcached
	log strings.Builder
}

func (t *trial) run(ctx context.Context) error {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"create", func(ctx context.Context) error { return t.Create(ctx, t.mc) }},
		{"become available", t.available},
		{"serve", t.serve},
		{"scale to 2", t.scale},
		{"serve from 2 nodes", t.serve},
		{"delete", t.remove},
	}
	begun := time.Now()
	for i, step := range steps {
		if err := step.do(ctx); err != nil {
			if i > 0 { // what it made; the failure is what matters
				_ = t.Delete(context.WithoutCancel(ctx), t.mc)
			}
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Fprintf(&t.log, "%s: %s after %s\n", t.mc.Name, step.name, time.Since(begun).Round(time.Second/10))
	}
	return nil
}

// poll waits for what a condition says, and says why it did not come about.
func (t *trial) poll(ctx context.Context, condition func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := condition(ctx)
		if ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return errors.Join(err, last)
	}
	return nil
}

func (t *trial) available(ctx context.Context) error {
	return t.poll(ctx, func(ctx context.Context) error {
		if err := t.Get(ctx, client.ObjectKeyFromObject(t.mc), t.mc); err != nil {
			return err
		}
		available := meta.FindStatusCondition(t.mc.Status.Conditions, cachev1alpha1.ConditionAvailable)
		switch {
		case available == nil || available.ObservedGeneration != t.mc.Generation:
			return errors.New("the operator has not looked at it")
		case available.Status != "True" || t.mc.Status.ReadyReplicas != t.mc.Spec.Size:
			return fmt.Errorf("%d of %d nodes are ready: %s", t.mc.Status.ReadyReplicas, t.mc.Spec.Size, available.Message)
		}
		return nil
	})
}

// serve talks to each node that DNS knows, as an application would.
func (t *trial) serve(ctx context.Context) error {
	return t.poll(ctx, func(ctx context.Context) error {
		addresses, err := net.DefaultResolver.LookupHost(ctx, t.mc.Name)
		if err != nil {
			return err
		}
		if len(addresses) != int(t.mc.Spec.Size) { // DNS answers from its cache for some seconds
			return fmt.Errorf("DNS knows %d nodes, not %d", len(addresses), t.mc.Spec.Size)
		}
		for _, address := range addresses {
			if err := converse(ctx, net.JoinHostPort(address, fmt.Sprint(t.mc.Spec.ContainerPort))); err != nil {
				return fmt.Errorf("talk to node %s: %w", address, err)
			}
		}
		return nil
	})
}

// converse has a node keep an item and give it back.
func converse(ctx context.Context, address string) error {
	node, err := memcached.Dial(ctx, address, 5*time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = node.Close() }()
	return node.Keeps("scorecard", "hello")
}

func (t *trial) scale(ctx context.Context) error {
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":2}}`))
	if err := t.Patch(ctx, t.mc, patch); err != nil {
		return err
	}
	return t.available(ctx)
}

// remove waits until the resource is gone, and with it, as the operator
// promises, its nodes.
func (t *trial) remove(ctx context.Context) error {
	if err := t.Delete(ctx, t.mc); err != nil {
		return err
	}
	return t.poll(ctx, func(ctx context.Context) error {
		err := t.Get(ctx, client.ObjectKeyFromObject(t.mc), t.mc)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is still there (%w)", err)
	})
}
