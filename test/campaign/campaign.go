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
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/plan"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// campaign is one run of many plans.
type campaign struct {
	options
	arena *arena.Arena
	took  time.Duration

	mutex      sync.Mutex
	references map[string]plan.Reference
	all        []plan.Plan // that there are, whether played or not
	results    []plan.Result
	failures   []error
	findings   []finding
}

// refer takes the references from the file that was named. If there is none, it
// plays every workload without faults, and writes the file.
func (c *campaign) refer(ctx context.Context) error {
	c.references = map[string]plan.Reference{}
	content, err := os.ReadFile(c.referenceFile)
	if err == nil {
		return json.Unmarshal(content, &c.references)
	}
	if err := c.playReferences(ctx); err != nil || c.referenceFile == "" {
		return err
	}
	if content, err = json.Marshal(c.references); err != nil {
		return err
	}
	return os.WriteFile(c.referenceFile, content, 0o600)
}

func (c *campaign) playReferences(ctx context.Context) error {
	begun := time.Now()
	group := errgroup.Group{}
	group.SetLimit(c.parallel)
	for _, w := range plan.Workloads {
		group.Go(func() error {
			reference, violations, err := plan.Refer(ctx, c.arena, w)
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.references[w.Name] = reference
			c.failures = append(c.failures, err)
			for _, violation := range violations {
				c.failures = append(c.failures, fmt.Errorf("without faults, %s: %s", w.Name, violation))
			}
			return nil
		})
	}
	_ = group.Wait()
	fmt.Printf("%d workloads without faults, in %s\n", len(plan.Workloads), time.Since(begun).Round(time.Second))
	return errors.Join(c.failures...)
}

// play plays the plans that were asked for, some at a time.
func (c *campaign) play(ctx context.Context) {
	c.all = plan.All(c.references)
	plans := slices.DeleteFunc(slices.Clone(c.all), func(p plan.Plan) bool { return !c.only.MatchString(p.Name()) })
	if c.few > 0 {
		plans = plan.Few(plans, c.few)
	}
	fmt.Printf("%d of %d plans\n", len(plans), len(c.all))
	// Mixed: Kubernetes' ReplicaSet controller retries ten times a second, in all
	// namespaces together, and plans with a quota would wait for each other.
	mixer := rand.New(rand.NewPCG(1, 0))
	mixer.Shuffle(len(plans), func(i, j int) { plans[i], plans[j] = plans[j], plans[i] })
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group := errgroup.Group{}
	group.SetLimit(c.parallel)
	for _, p := range plans {
		group.Go(func() error {
			if ctx.Err() == nil && !c.one(ctx, p) && c.firstOnly {
				stop()
			}
			return nil
		})
	}
	_ = group.Wait()
	c.again(ctx)
}

// again plays what was violated once more, by itself: what the machine could not
// do in time among many others is no violation. It is printed all the same.
func (c *campaign) again(ctx context.Context) {
	if c.firstOnly {
		return
	}
	for i, result := range c.results {
		if len(result.Violations) == 0 || ctx.Err() != nil {
			continue
		}
		fmt.Println("again:", result.Plan.Name())
		if again, err := c.playOne(ctx, result.Plan); err == nil && len(again.Violations) == 0 {
			again.Once = true
			c.results[i] = again
		}
	}
}

// playRandom plays random plans until the time is over.
func (c *campaign) playRandom(ctx context.Context) {
	group := errgroup.Group{}
	group.SetLimit(c.parallel)
	seed := c.seed
	for begun := time.Now(); time.Since(begun) < c.soak && ctx.Err() == nil; seed++ {
		p := plan.Soak(seed)
		group.Go(func() error {
			c.one(ctx, p)
			return nil
		})
	}
	_ = group.Wait()
	c.again(ctx)
}

// retries is how often a plan is played again whose fault did not come to pass:
// how many steps the status takes depends on when nodes become ready.
const retries = 2

// one plays a plan, and tells whether all was well.
func (c *campaign) one(ctx context.Context, p plan.Plan) bool {
	result, err := c.playOne(ctx, p)
	if err != nil {
		fmt.Println("not played, once more:", err)
		result, err = c.playOne(ctx, p)
	}
	if ctx.Err() != nil {
		return true // it was called off
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err != nil {
		c.failures = append(c.failures, err)
		fmt.Println("NOT PLAYED", err)
		return false
	}
	c.results = append(c.results, result)
	for _, violation := range result.Violations {
		fmt.Printf("VIOLATED %s\n  %s\n", p.Name(), strings.ReplaceAll(violation.String(), "\n", "\n  "))
	}
	if len(result.Violations) > 0 {
		printRequests(result.Requests)
	}
	return len(result.Violations) == 0
}

func (c *campaign) playOne(ctx context.Context, p plan.Plan) (plan.Result, error) {
	like := p.Like
	if like == "" {
		like = p.Workload.Name
	}
	reference := c.references[like]
	result, err := plan.Play(ctx, c.arena, p, &reference)
	for range retries {
		if err != nil || result.Reached || len(result.Violations) > 0 {
			break
		}
		result, err = plan.Play(ctx, c.arena, p, &reference)
	}
	return result, err
}

// told is how many of an operator's last requests are printed.
const told = 30

func printRequests(requests []wire.Request) {
	for _, request := range requests[max(0, len(requests)-told):] {
		fault := ""
		if request.Fault {
			fault = "  fault"
		}
		fmt.Printf("    %s %3d %s %s%s\n", request.At.Format("15:04:05.000"), request.Code, request.Point, request.Name, fault)
	}
}
