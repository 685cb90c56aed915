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

package measure

import (
	"context"
	"fmt"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/load"
	"github.com/example/memcached-operator/test/bench/internal/result"
	"github.com/example/memcached-operator/test/bench/internal/twin"
)

// foreign compares the live heap of a twin that starts in a cluster without, and
// with, many objects that are not the operator's.
func (b *Bench) foreign(ctx context.Context) error {
	if b.Plan.Foreign == 0 {
		return nil
	}
	for _, a := range b.arms {
		if len(a.Twin) == 0 {
			continue
		}
		before, err := b.liveHeap(ctx, a)
		if err != nil {
			return fmt.Errorf("arm %s: foreign objects: %w", a.Name, err)
		}
		namespace, err := b.World.Namespace(ctx, "bench-foreign")
		if err != nil {
			return err
		}
		if err := load.Foreign(ctx, b.World.Load, namespace, b.Plan.Foreign); err != nil {
			return err
		}
		after, err := b.liveHeap(ctx, a)
		if err != nil {
			return fmt.Errorf("arm %s: foreign objects: %w", a.Name, err)
		}
		b.note(result.ForeignHeap, a, b.Plan.Foreign, 1, (after-before)/mib)
		if err := load.RemoveForeign(ctx, b.World.Load, namespace); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bench) liveHeap(ctx context.Context, a *Arm) (float64, error) {
	var answer twin.Answer
	t := &turn{Bench: b, arm: a}
	err := t.withTwin(ctx, nil, func(process *arm.Process) error { return process.Ask(ctx, "", &answer) })
	return float64(answer.Heap), err
}
