//go:build olm

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
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// registry is one on the host, which the node takes for every registry there
// is: bundles and catalogs keep the references that they are published under.
type registry struct {
	address string
	// environment has commands believe the node's authority.
	environment []string
	storage     string
}

func newRegistry() *registry {
	GinkgoHelper()
	state := filepath.Join(root, ".cluster")
	var node struct{ HostAddress string }
	content, err := os.ReadFile(filepath.Join(state, "node.json"))
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(content, &node)).To(Succeed())
	ca := filepath.Join(state, "pki", "ca.crt")
	r := &registry{
		address:     net.JoinHostPort(node.HostAddress, "5000"),
		environment: append(os.Environ(), "SSL_CERT_FILE="+ca, "NO_PROXY=*"),
		storage:     GinkgoT().TempDir(),
	}
	server := exec.Command("parts", "registry", "-address="+r.address, "-ca="+ca, "-ca-key="+strings.TrimSuffix(ca, "crt")+"key")
	server.Stdout, server.Stderr = GinkgoWriter, GinkgoWriter
	Expect(server.Start()).To(Succeed())
	DeferCleanup(func() {
		Expect(server.Process.Kill()).To(Succeed())
		_ = server.Wait() // it was killed
	})
	r.becomeEveryRegistry(state)
	insecure := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	Eventually(func() error {
		response, err := insecure.Get("https://" + r.address + "/v2/")
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}).Should(Succeed())
	return r
}

// becomeEveryRegistry tells containerd, which reads this at each pull.
func (r *registry) becomeEveryRegistry(state string) {
	GinkgoHelper()
	dir := filepath.Join(state, "certs.d", "_default")
	Expect(os.MkdirAll(dir, 0o755)).To(Succeed())
	DeferCleanup(func() { Expect(os.RemoveAll(dir)).To(Succeed()) })
	hosts := fmt.Sprintf("server = %q\n[host.%[1]q]\n  capabilities = [\"pull\", \"resolve\"]\n  ca = \"/run/cluster/pki/ca.crt\"\n", "https://"+r.address)
	Expect(os.WriteFile(filepath.Join(dir, "hosts.toml"), []byte(hosts), 0o644)).To(Succeed())
}

// run runs a command that talks to the registry, in a folder.
func (r *registry) run(dir, name string, args ...string) string {
	GinkgoHelper()
	out, err := r.try(dir, name, args...)
	Expect(err).NotTo(HaveOccurred(), "%s %s: %s", name, strings.Join(args, " "), out)
	return out
}

func (r *registry) try(dir, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir, command.Env = dir, r.environment
	out, err := command.CombinedOutput()
	return string(out), err
}

func (r *registry) buildah(dir string, args ...string) {
	GinkgoHelper()
	r.run(dir, "buildah", append([]string{"--root", filepath.Join(r.storage, "root"), "--runroot", filepath.Join(r.storage, "run"), "--storage-driver=vfs"}, args...)...)
}

// build builds a Dockerfile of this project and pushes the image.
func (r *registry) build(dir, dockerfile, image string, flags ...string) {
	GinkgoHelper()
	r.buildah(dir, append([]string{"build", "--isolation=chroot", "--pull-never", "--file=" + filepath.Join(root, dockerfile), "--tag=" + r.reference(image)},
		append(flags, ".")...)...)
	r.push(r.reference(image), image)
}

// bases makes images that stand in for those that the Dockerfiles of commands
// start from, and returns the flags that give them this machine's Go and what
// it has downloaded and built already.
func (r *registry) bases() (flags []string) {
	GinkgoHelper()
	const busybox = "docker.io/library/busybox:1.37"
	r.buildah(root, "pull", "docker-archive:"+filepath.Join(root, ".cluster", "images", "docker.io_library_busybox_1.37.tar"))
	r.buildah(root, "tag", busybox, "gcr.io/distroless/static:nonroot")
	dir := GinkgoT().TempDir()
	dockerfile := "FROM " + busybox + "\nENV PATH=/go/bin:/bin GOMODCACHE=/modules GOCACHE=/built GOPROXY=off GOTOOLCHAIN=local\n"
	Expect(os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(dockerfile), 0o644)).To(Succeed())
	r.buildah(dir, "build", "--isolation=chroot", "--pull-never", "--tag=docker.io/library/golang:1.26", ".")
	for folder, variable := range map[string]string{"/go": "GOROOT", "/modules": "GOMODCACHE", "/built": "GOCACHE"} {
		flags = append(flags, "--volume="+run("go", "env", variable)+":"+folder)
	}
	return flags
}

// provide puts an image that was assembled here into the registry.
func (r *registry) provide(archive, image string) {
	GinkgoHelper()
	r.buildah(root, "pull", "docker-archive:"+filepath.Join(os.Getenv("OLM_IMAGES"), archive))
	r.push(image, image)
}

func (r *registry) push(local, image string) {
	GinkgoHelper()
	r.buildah(root, "push", local, "docker://"+r.reference(image))
}

// reference is where the registry has an image that is published elsewhere.
func (r *registry) reference(image string) string {
	_, path, _ := strings.Cut(image, "/")
	return r.address + "/" + path
}
