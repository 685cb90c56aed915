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

package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// build builds the command that is shipped.
func (a *Arena) build(ctx context.Context, root string) error {
	a.program = filepath.Join(a.env.ControlPlane.APIServer.CertDir, "manager")
	command := exec.CommandContext(ctx, "go", "build", "-o", a.program, "./cmd")
	command.Dir = root
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build the operator: %w: %s", err, said)
	}
	return nil
}

// process runs the shipped command, whose only connection is the operator's
// line. It dies and stops by signals.
func (s *Stage) process(cfg *rest.Config, o *Operator) (func(context.Context) error, error) {
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(cfg.Host)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		ErrorLog:     stdlog.New(io.Discard, "", 0), // connections break off on purpose
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // the connection breaks off
	}, ReadHeaderTimeout: time.Minute}
	kubeconfig, err := writeKubeconfig(filepath.Dir(s.program), "http://"+listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		go func() { _ = server.Serve(listener) }()
		defer func() { _ = os.Remove(kubeconfig) }()
		defer func() { _ = server.Close() }()
		return s.runProcess(ctx, kubeconfig, o)
	}, nil
}

func (s *Stage) runProcess(ctx context.Context, kubeconfig string, o *Operator) error {
	command := exec.CommandContext(ctx, s.program, "--leader-election=none", "--health-probe-bind-address=0", "--kubeconfig="+kubeconfig)
	command.Env = []string{
		"MEMCACHED_IMAGE=" + s.settings.Image,
		"WATCH_NAMESPACE=" + strings.Join(append([]string{s.Namespace}, s.settings.Also...), ","),
	}
	command.Stdout, command.Stderr = o.log, o.log
	if err := command.Start(); err != nil {
		return err
	}
	o.Line.Paused = func(paused bool) {
		signal := syscall.SIGCONT
		if paused {
			signal = syscall.SIGSTOP
		}
		_ = command.Process.Signal(signal) // it may have ended
	}
	if err := command.Wait(); ctx.Err() == nil { // otherwise it was killed, as was meant
		return errors.Join(errors.New("the operator has ended"), err)
	}
	return nil
}

func writeKubeconfig(folder, server string) (string, error) {
	file, err := os.CreateTemp(folder, "kubeconfig-")
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	return file.Name(), clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"arena": {Server: server}},
		Contexts:       map[string]*clientcmdapi.Context{"arena": {Cluster: "arena"}},
		CurrentContext: "arena",
	}, file.Name())
}
