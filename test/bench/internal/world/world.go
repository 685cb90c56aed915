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

// Package world is the API server and etcd that all arms of the benchmark share,
// and the users that it knows them by.
package world

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/example/memcached-operator/test/bench/internal/audit"
)

// The benchmark's own users. They may do everything; what they ask is counted
// with no arm.
const (
	// UserLoad creates, scales and deletes the resources.
	UserLoad = "bench-load"
	// UserStub plays the controller of Deployments.
	UserStub = "bench-stub"
)

// startTimeout is how long etcd and the API server may take to start.
const startTimeout = 2 * time.Minute

// auditPolicy logs each answer, but those to the API server itself and to the stub.
const auditPolicy = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
	"omitStages": ["RequestReceived", "ResponseStarted"],
	"rules": [{"level": "None", "users": ["system:apiserver", "` + UserStub + `"]}, {"level": "Metadata"}]}`

// World is a running API server.
type World struct {
	// Log is what it was asked.
	Log *audit.Log
	// Load is UserLoad's access.
	Load *rest.Config
	// Folder is for files that go with the world, in memory where possible.
	Folder string

	environment *envtest.Environment
	endLog      context.CancelFunc
}

// Start starts etcd and kube-apiserver from a folder of binaries, with the CRDs
// of a folder. Both keep their data in memory where the machine has a tmpfs.
func Start(ctx context.Context, binaries, crds string) (*World, error) {
	memory := "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		memory = ""
	}
	folder, err := os.MkdirTemp(memory, "memcached-operator-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for etcd and the audit log: %w", err)
	}
	w := &World{Folder: folder, endLog: func() {}}
	if err := w.start(ctx, binaries, crds); err != nil {
		_ = w.Stop() // the first error tells more
		return nil, fmt.Errorf("start etcd and kube-apiserver from %s (`make envtest` builds them): %w", binaries, err)
	}
	return w, nil
}

func (w *World) start(ctx context.Context, binaries, crds string) error {
	data, policy, log := filepath.Join(w.Folder, "etcd"), filepath.Join(w.Folder, "policy.json"), filepath.Join(w.Folder, "audit.log")
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	w.environment = &envtest.Environment{
		BinaryAssetsDirectory: binaries,
		CRDDirectoryPaths:     []string{crds}, ErrorIfCRDPathMissing: true,
		ControlPlaneStartTimeout: startTimeout,
	}
	etcd := &envtest.Etcd{DataDir: data}
	etcd.Configure().
		Set("unsafe-no-fsync", "true").
		Set("quota-backend-bytes", "8589934592") // 10,000 resources have many versions
	w.environment.ControlPlane.Etcd = etcd
	w.environment.ControlPlane.GetAPIServer().Configure().
		Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement").
		Append("audit-policy-file", policy).
		Append("audit-log-path", log).
		Set("audit-log-maxsize", "0") // by default it begins a new file after 100 MB
	if _, err := w.environment.Start(); err != nil {
		return err
	}
	following, end := context.WithCancel(ctx)
	w.endLog = end
	var err error
	if w.Log, err = audit.Follow(following, log); err != nil {
		return err
	}
	w.Load, _, err = w.User(UserLoad, "system:masters")
	return err
}

// Stop stops all and removes the world's files.
func (w *World) Stop() error {
	w.endLog()
	var err error
	if w.environment != nil {
		err = w.environment.Stop()
	}
	if removed := os.RemoveAll(w.Folder); err == nil {
		err = removed
	}
	return err
}
