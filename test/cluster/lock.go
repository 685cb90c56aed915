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
