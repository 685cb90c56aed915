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
	"flag"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/example/memcached-operator/test/bench/internal/null"
	"github.com/example/memcached-operator/test/bench/internal/stub"
	"github.com/example/memcached-operator/test/bench/internal/twin"
)

// children are the processes that the benchmark starts of itself, by their first
// argument. Each is another user's, and its CPU and memory are its own.
var children = map[string]func(context.Context, []string) error{
	"null": func(ctx context.Context, _ []string) error {
		return withConfig(func(config *rest.Config) error { return null.Run(ctx, config, os.Getenv("MEMCACHED_IMAGE")) })
	},
	"stub": func(ctx context.Context, _ []string) error {
		return withConfig(func(config *rest.Config) error { return stub.Run(ctx, config) })
	},
	"twin": func(ctx context.Context, args []string) error {
		options := twin.Options{Image: os.Getenv("MEMCACHED_IMAGE")}
		flags := flag.NewFlagSet("twin", flag.ContinueOnError)
		flags.DurationVar(&options.Resync, "resync", 0, "How often everything is reconciled anew.")
		flags.StringVar(&options.LeaseNamespace, "lease", "", "The namespace of the lease; without one there is no election.")
		flags.StringVar(&options.Profile, "cpu-profile", "", "A file for a CPU profile of the whole run.")
		if err := flags.Parse(args); err != nil {
			return err
		}
		return withConfig(func(config *rest.Config) error { return twin.Run(ctx, config, options) })
	},
}

// withConfig calls a child with the access that KUBECONFIG gives, without a
// limit on the client's side: the operator has none either.
func withConfig(child func(*rest.Config) error) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1
	return child(config)
}
