// Command coredns is the local node's DNS server: CoreDNS with only the
// plugins that a cluster without a way out needs, so that it builds in
// seconds instead of minutes.
package main

import (
	"github.com/coredns/coredns/coremain"

	// A plugin is a directive of the Corefile; their order in a server is
	// CoreDNS's own and does not follow these lines.
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	coremain.Run()
}
