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
	"fmt"
	"os"
	"syscall"
)

// lock keeps two runs from changing the same node at the same time.
func (s settings) lock() (unlock func(), err error) {
	state := s.project.State()
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, fmt.Errorf("create the node's folder: %w", err)
	}
	folder, err := os.Open(state)
	if err != nil {
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	unlock = func() { _ = folder.Close() }
	if syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		return unlock, nil
	}
	s.progress.Print("Waiting for another run that changes this node to end.")
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
		unlock()
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	return unlock, nil
}
