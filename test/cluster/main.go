// Command cluster runs a Kubernetes node of this project's own, for tests and
// demos, from nothing but pinned Go modules and Debian packages: no Docker, no
// registry, no virtual machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
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
  assets   only build etcd, kube-apiserver and kubectl into .cluster/bin, for
           tests that need just an API server: KUBEBUILDER_ASSETS. No root.

Flags:
`

func main() {
	if len(os.Args) == 3 && os.Args[1] == node.InitVerb {
		fmt.Fprintln(os.Stderr, node.Init(os.Args[2]))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "cluster:", err)
		}
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	project         project.Project
	operatorImage   string
	withoutOperator bool
	memcachedImage  string
	archives        []string
}

func run(ctx context.Context, args []string) error {
	verbs := map[string]func(context.Context, settings) error{
		"up": up, "load": load, "down": down, "assets": assets,
	}
	if len(args) == 0 {
		args = []string{"help"}
	}
	s, err := parse(args[1:], verbs[args[0]] == nil)
	if err != nil {
		return err
	}
	return verbs[args[0]](ctx, s)
}

// parse reads the flags, or prints the help that somebody needs.
func parse(args []string, help bool) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	dir := flags.String("project", ".", "a folder in the `clone` whose node is meant")
	flags.StringVar(&s.operatorImage, "operator-image", "example.com/memcached-operator:v0.0.1", "the `reference` under which the operator's image is loaded")
	flags.BoolVar(&s.withoutOperator, "without-operator", false, "do not build and load the operator's image")
	flags.StringVar(&s.memcachedImage, "memcached-image", "docker.io/library/memcached:1.6.45", "the `reference` under which memcached's image is loaded")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if help {
		args = []string{"-help"}
	}
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	s.archives = flags.Args()
	var err error
	s.project, err = project.Find(*dir)
	return s, err
}
