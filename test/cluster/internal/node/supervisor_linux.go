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

package node

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// supervisor starts the node's processes and notices when one ends. None of
// them ever should.
type supervisor struct {
	log   string
	ended chan error

	mu    sync.Mutex
	names map[int]string
}

func newSupervisor(log string) *supervisor {
	s := &supervisor{log: log, ended: make(chan error, 1), names: map[int]string{}}
	go s.reap()
	return s
}

// start starts a process whose output goes into a log file of its name.
func (s *supervisor) start(p process) error {
	log, err := os.OpenFile(filepath.Join(s.log, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(p.name, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	s.mu.Lock() // or reap might see the end of a process that has no name yet
	defer s.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	s.names[cmd.Process.Pid] = p.name
	return nil
}

// until waits for a condition, unless a process ends first.
func (s *supervisor) until(condition func() bool) error {
	for !condition() {
		select {
		case err := <-s.ended:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// reap collects the processes that end: the node's own, and those that pods
// leave behind, which the kernel hands to the first process of the namespace.
func (s *supervisor) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err != nil { // nothing to wait for yet
			time.Sleep(50 * time.Millisecond)
			continue
		}
		s.mu.Lock()
		name, own := s.names[pid]
		s.mu.Unlock()
		if own {
			s.ended <- fmt.Errorf("%s has ended (%s), and the node with it: see log/%s.log", name, describe(status), name)
			return
		}
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
