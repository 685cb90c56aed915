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

	"github.com/operator-framework/operator-lib/leader"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// lockName is the ConfigMap that its owner, a pod, holds for life: garbage
// collection removes it with the pod. It must never change: managers that look
// for different locks would all lead.
const lockName = "memcached-operator-lock"

// LeadForLife calls lead as soon as this pod is the leader, which it then is for
// life. Add it to a manager without a leader election of its own, and let lead
// add all that only a leader may run: the manager serves its probes meanwhile.
// Were readiness to wait for leadership, a rolling update would wait for ever,
// because the old leader stays until the new pod is ready.
func LeadForLife(config *rest.Config, lead func() error) manager.RunnableFunc {
	return func(ctx context.Context) error {
		err := become(ctx, config)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // told to end, which is why it did not become leader
		}
		if err != nil {
			return err
		}
		return lead()
	}
}

func become(ctx context.Context, config *rest.Config) error {
	// The library asks again at once when it cannot read the lock. Waiting
	// takes four requests or fewer per look at it.
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 1, 10
	uncached, err := client.New(config, client.Options{})
	if err != nil {
		return fmt.Errorf("make a client for leader election: %w", err)
	}
	err = leader.Become(ctx, lockName, leader.WithClient(uncached))
	if errors.Is(err, leader.ErrNoNamespace) {
		return fmt.Errorf("leader-for-life works in a pod only, because the pod owns the lock; "+
			"outside a pod, use --leader-election=none: %w", err)
	}
	if err != nil {
		return fmt.Errorf("become leader for life: %w", err)
	}
	return nil
}
