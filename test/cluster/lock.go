package main

import (
	"fmt"
	"os"
	"syscall"
)

// lock keeps two runs from changing the same node at the same time.
func lock(state string) (unlock func(), err error) {
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, fmt.Errorf("create the node's folder: %w", err)
	}
	folder, err := os.Open(state)
	if err != nil {
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	if syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		return func() { folder.Close() }, nil
	}
	fmt.Println("Waiting for another run that changes this node to end.")
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
		folder.Close()
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	return func() { folder.Close() }, nil
}
