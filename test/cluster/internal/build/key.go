package build

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// keyOf identifies what a build would produce: the toolchain, the flags, and
// the module's own files. Pinned dependencies are covered by go.sum. Asking
// this instead of the go command saves about a second for each component,
// which is most of what starting a built node takes.
func keyOf(moduleDir, goVersion string, flags []string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, goVersion, runtime.GOOS, runtime.GOARCH, strings.Join(flags, "\x00"))
	files, err := moduleFiles(moduleDir)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("identify the sources of a component: %w", err)
		}
		fmt.Fprintln(sum, filepath.Base(file), len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// moduleFiles lists what of a tools module can change its commands.
func moduleFiles(dir string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"go.mod", "go.sum", "*.go", "pause/*.go"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("list the sources in %s: %w", dir, err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return files, nil
}
