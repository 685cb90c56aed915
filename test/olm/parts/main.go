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

// Command parts stands in for what OLM finds in the world outside a cluster:
// image archives, and the registry that bundles and catalogs are pulled from.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `Usage: parts VERB [flags]

  image     assemble an image archive from commands that were built here
  registry  serve an empty registry over HTTPS, in memory
  tag       copy an image archive under another reference
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	verbs := map[string]func(context.Context, []string) error{"image": image, "registry": serve, "tag": retag}
	if len(os.Args) < 2 || verbs[os.Args[1]] == nil {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err := verbs[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "parts %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
