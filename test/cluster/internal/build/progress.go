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

package build

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// heartbeat is how often a long build says that it is alive.
const heartbeat = 15 * time.Second

// run runs a go build under a label and reports how it goes.
func (b *Builder) run(cmd *exec.Cmd, label string) error {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	var compiled atomic.Int64
	stop := b.beat(label, begun, &compiled)
	said := follow(stderr, &compiled)
	err = cmd.Wait()
	stop()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.Join(said, "\n"))
	}
	b.Progress.Printf("%-34s  built in %s, %s elapsed", label, since(begun), since(b.started))
	return nil
}

// beat prints a line every now and then until the returned function is called.
func (b *Builder) beat(label string, begun time.Time, compiled *atomic.Int64) (stop func()) {
	ticker, done, gone := time.NewTicker(heartbeat), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-ticker.C:
				b.Progress.Printf("%-34s  building for %s, %d packages compiled", label, since(begun), compiled.Load())
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-gone
	}
}

// follow reads what go build -v says: a line for each package it compiles,
// and, if it comes to that, the compiler's complaints, whose end it returns.
func follow(stderr io.Reader, compiled *atomic.Int64) []string {
	const enough = 40
	var said []string
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		line := lines.Text()
		if !strings.ContainsAny(line, " #\t") {
			compiled.Add(1)
			continue
		}
		if said = append(said, line); len(said) > enough {
			said = said[1:]
		}
	}
	return said
}

func since(begun time.Time) string {
	return time.Since(begun).Round(time.Second / 10).String()
}
