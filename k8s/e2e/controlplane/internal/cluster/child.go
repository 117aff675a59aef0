package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	// stopGrace is how long a child may take to end in order before it is killed.
	// It is short: an apiserver with open watches would wait a minute for its
	// clients, and no data is at risk.
	stopGrace = 3 * time.Second
	// pollEvery is how often readiness is asked for.
	pollEvery = 50 * time.Millisecond
	// tailBytes is how much of a log an error quotes.
	tailBytes = 2048
)

// child is one server process, which can be started again after it ended.
type child struct {
	name    string
	command []string
	logFile string
	// ready tells once whether the running server can be used.
	ready func(context.Context) error
	// notify hears of an end that nobody asked for.
	notify func(string)

	run *childRun
}

// childRun is one life of a child.
type childRun struct {
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the process is gone and reaped
	wanted chan struct{} // closed when someone asks it to end
	state  string        // how it ended; valid once ended is closed
}

// pid is the process's id, or 0 when it doesn't run.
func (c *child) pid() int {
	if c.run == nil {
		return 0
	}
	select {
	case <-c.run.ended:
		return 0
	default:
		return c.run.cmd.Process.Pid
	}
}

// start starts the process and waits till it is ready.
//
// It must be called on a thread that lives as long as the program: the kernel
// sends Pdeathsig when the thread that started the child ends.
func (c *child) start(ctx context.Context) error {
	if c.pid() != 0 {
		return fmt.Errorf("%s already runs", c.name)
	}
	log, err := os.OpenFile(c.logFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the child has its own descriptor
	fmt.Fprintf(log, "--- %s: %q\n", time.Now().Format(time.RFC3339), c.command)

	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// Nothing may be left behind, even when this program is killed with -9.
		Pdeathsig: syscall.SIGKILL,
		// A Ctrl-C in the terminal reaches this program only, which then stops
		// the servers in the right order.
		Setpgid: true,
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	run := &childRun{cmd: cmd, ended: make(chan struct{}), wanted: make(chan struct{})}
	c.run = run
	go c.reap(run)
	return c.awaitReady(ctx)
}

func (c *child) reap(run *childRun) {
	_ = run.cmd.Wait() // the state says all that the error would
	run.state = run.cmd.ProcessState.String()
	close(run.ended)
	select {
	case <-run.wanted:
	default:
		c.notify(fmt.Sprintf("%s (pid %d) ended by itself: %s", c.name, run.cmd.Process.Pid, run.state))
	}
}

// awaitReady polls until the server is ready, the process is gone or ctx ends.
func (c *child) awaitReady(ctx context.Context) error {
	if c.pid() == 0 {
		return fmt.Errorf("%s does not run", c.name)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := c.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.run.ended:
			return fmt.Errorf("%s ended before it was ready: %s\n%s", c.name, c.run.state, tail(c.logFile))
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w (%w)", c.name, err, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// stop asks the process to end, and kills it when it takes too long.
func (c *child) stop() error {
	if c.pid() == 0 {
		return fmt.Errorf("%s does not run", c.name)
	}
	if err := c.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-c.run.ended:
		return nil
	case <-time.After(stopGrace):
		return c.kill()
	}
}

// kill ends the process with SIGKILL, as a crash would.
func (c *child) kill() error {
	if c.pid() == 0 {
		return fmt.Errorf("%s does not run", c.name)
	}
	if err := c.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-c.run.ended
	return nil
}

func (c *child) signal(sig syscall.Signal) error {
	select {
	case <-c.run.wanted:
	default:
		close(c.run.wanted)
	}
	if err := c.run.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %s: %w", c.name, err)
	}
	return nil
}

// tail is the end of a log for an error message, so it is best effort.
func tail(name string) string {
	file, err := os.Open(name)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = file.Seek(-tailBytes, io.SeekEnd)
	}
	text, _ := io.ReadAll(file)
	return string(text)
}
