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

// Command cluster runs a Kubernetes node of this project's own, for tests and
// demos, from nothing but pinned Go modules and Debian packages: no Docker, no
// registry, no virtual machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/example/memcached-operator/test/cluster/internal/node"
	"github.com/example/memcached-operator/test/cluster/internal/project"
)

const usage = `Usage: cluster VERB [flags]

  up       build what is missing, start the node, load the images, and wait
           until pods run and find each other by name; needs root. Harmless
           when the node is running already.
  load     build the operator's image from ./cmd and load it into the running
           node again; or load the image archives named after the flags.
  down     stop the node and remove everything but .cluster/bin and
           .cluster/images, which the next up needs. Also cleans up after a
           node that was killed.
  assets   only build etcd, kube-apiserver, kube-controller-manager and kubectl
           into .cluster/bin, for tests that need no node: KUBEBUILDER_ASSETS.
           No root.

Flags:
`

func main() {
	inner := map[string]func(state string) error{node.InitVerb: node.Init, node.ProbeVerb: node.ProbeInside}
	if len(os.Args) == 3 && inner[os.Args[1]] != nil { // started by this program itself
		if err := inner[os.Args[1]](os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// settings are what the flags and the environment say.
type settings struct {
	progress       *log.Logger
	sudoUser       string
	proxied        bool
	dir            string
	project        project.Project
	operatorImage  string
	memcachedImage string
	archives       []string
}

func run(ctx context.Context, args []string) error {
	verbs := map[string]func(context.Context, settings) error{
		"up": up, "load": load, "down": down, "assets": assets,
	}
	s := settings{
		progress: log.New(os.Stdout, "", 0),
		sudoUser: os.Getenv("SUDO_UID"),
		proxied:  os.Getenv("HTTPS_PROXY")+os.Getenv("https_proxy") != "",
	}
	flags := s.flags()
	if len(args) == 0 || strings.Contains("-help --help", args[0]) {
		flags.Usage()
		return flag.ErrHelp
	}
	verb, known := verbs[args[0]]
	if !known {
		return fmt.Errorf("no verb is called %q: see cluster -help", args[0])
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	var err error
	if s.project, err = project.Find(s.dir); err != nil {
		return err
	}
	s.archives = flags.Args()
	return verb(ctx, s)
}

// flags defines the flags, which all verbs share.
func (s *settings) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.StringVar(&s.dir, "project", ".", "a `folder` in the clone whose node is meant")
	flags.StringVar(&s.operatorImage, "operator-image", "example.com/memcached-operator:v0.0.1", "the `reference` under which the operator's image is loaded")
	flags.StringVar(&s.memcachedImage, "memcached-image", "docker.io/library/memcached:1.6.45", "the `reference` under which memcached's image is loaded")
	flags.Usage = func() {
		_, _ = io.WriteString(flags.Output(), usage)
		flags.PrintDefaults()
	}
	return flags
}
