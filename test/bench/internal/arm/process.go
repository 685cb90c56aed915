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

package arm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// stopPatience is how long a process may take to stop before it is killed.
const stopPatience = 30 * time.Second

// Process is a running operator.
type Process struct {
	command   *exec.Cmd
	questions io.WriteCloser
	answers   *bufio.Reader
	log       *os.File
}

// Start starts an arm as the user of a kubeconfig. What it says is appended to a
// file.
func Start(definition Definition, kubeconfig, log string) (*Process, error) {
	p, err := prepare(definition.Command, definition.Environment, kubeconfig, log)
	if err != nil {
		return nil, err
	}
	p.command.Stdout = p.log
	return p, p.start()
}

// StartTwin starts an arm's twin, with more arguments. Only a twin can be asked.
func StartTwin(definition Definition, kubeconfig, log string, arguments ...string) (*Process, error) {
	p, err := prepare(slices.Concat(definition.Twin, arguments), definition.Environment, kubeconfig, log)
	if err != nil {
		return nil, err
	}
	answers, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(answers)
	if p.questions, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	return p, p.start()
}

func prepare(command []string, environment map[string]string, kubeconfig, log string) (*Process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	p := &Process{command: exec.Command(command[0], command[1:]...), log: file}
	p.command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	for name, value := range environment {
		p.command.Env = append(p.command.Env, name+"="+value)
	}
	p.command.Stderr = file
	// Nothing may survive the benchmark, whatever ends it.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return p, nil
}

func (p *Process) start() error {
	if err := p.command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.command.Path, err)
	}
	return nil
}

// Stop asks the process to end and waits until it has.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

// Kill ends the process as a crash does.
func (p *Process) Kill() error { return p.end(syscall.SIGKILL) }

func (p *Process) end(signal syscall.Signal) error {
	defer func() { _ = p.log.Close() }()
	if err := p.command.Process.Signal(signal); err != nil {
		return fmt.Errorf("%s has ended by itself, see %s: %w", p.command.Path, p.log.Name(), err)
	}
	kill := time.AfterFunc(stopPatience, func() { _ = p.command.Process.Kill() })
	defer kill.Stop()
	var exit *exec.ExitError
	if err := p.command.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

// Usage is what a process has used.
type Usage struct {
	// CPU is its time on processors, in seconds, in steps of 10 ms.
	CPU float64
	// Memory is its resident memory, in bytes.
	Memory float64
}

// Usage returns what the process has used so far.
func (p *Process) Usage() (Usage, error) {
	process, err := procfs.NewProc(p.command.Process.Pid)
	if err != nil {
		return Usage{}, fmt.Errorf("%s has ended by itself, see %s: %w", p.command.Path, p.log.Name(), err)
	}
	stat, err := process.Stat()
	if err != nil {
		return Usage{}, fmt.Errorf("read what %s has used: %w", p.command.Path, err)
	}
	return Usage{CPU: stat.CPUTime(), Memory: float64(stat.ResidentMemory())}, nil
}

// Ask puts a line to a twin and decodes its answer.
func (p *Process) Ask(ctx context.Context, question string, answer any) error {
	stop := context.AfterFunc(ctx, func() { _ = p.command.Process.Kill() })
	defer stop()
	if _, err := io.WriteString(p.questions, question+"\n"); err != nil {
		return fmt.Errorf("ask %s: %w", p.command.Path, err)
	}
	line, err := p.answers.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s does not answer, see %s: %w", p.command.Path, p.log.Name(), err)
	}
	return json.Unmarshal(line, answer)
}
