// Command controlplane runs a real Kubernetes control plane, kube-apiserver and
// etcd, on loopback for end-to-end tests, and takes commands on its standard
// input to kill and start its parts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"watchfan/k8s/e2e/controlplane/internal/cluster"
)

const usage = `usage: controlplane up --dir DIR [flags]

Starts etcd and kube-apiserver, prints one line of JSON once they can be used,
and runs till SIGTERM. Each line on standard input is a command, answered by one
line of JSON when it is done:
    ` + cluster.Usage + `

`

func init() {
	// The servers die with the thread that started them (see the package
	// cluster), so everything is started from the main thread.
	runtime.LockOSThread()
}

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

// flagList is a flag that may be given many times.
type flagList []string

func (l *flagList) String() string { return strings.Join(*l, " ") }

func (l *flagList) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func run(args []string) error {
	flags := flag.NewFlagSet("controlplane up", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	options := cluster.Options{Notify: func(text string) { fmt.Fprintln(os.Stderr, "controlplane:", text) }}
	flags.StringVar(&options.Dir, "dir", "", "directory of all files; used again when it has some (required)")
	flags.IntVar(&options.APIServerPort, "apiserver-port", 0, "port of kube-apiserver (default: as before in DIR, else a free one)")
	flags.IntVar(&options.EtcdPort, "etcd-port", 0, "port of etcd (default: as before in DIR, else a free one)")
	flags.Var((*flagList)(&options.APIServerFlags), "apiserver-flag", "a further `flag` of kube-apiserver, such as --v=4; may be repeated")
	timeout := flags.Duration("ready-timeout", 2*time.Minute, "how long a start may take")
	exitWithStdin := flags.Bool("exit-with-stdin", false, "stop at the end of standard input, so that nothing outlives a killed caller")
	if len(args) == 0 || args[0] != "up" {
		flags.Usage()
		return errors.New("the command must be: up")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if options.Dir == "" || flags.NArg() != 0 {
		flags.Usage()
		return errors.New("--dir is required, and no arguments")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	options.BinDir = filepath.Dir(program)

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	input := readLines(os.Stdin)
	return up(ctx, options, *timeout, input, *exitWithStdin)
}

func up(ctx context.Context, options cluster.Options, timeout time.Duration, input <-chan string, exitWithStdin bool) (err error) {
	c, err := cluster.New(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	output := json.NewEncoder(os.Stdout)
	starting, cancel := context.WithTimeout(ctx, timeout)
	err = c.Up(starting)
	cancel()
	if ctx.Err() != nil {
		return nil // told to stop meanwhile, which is no failure
	}
	if err != nil {
		return err
	}
	if err := output.Encode(c.Info()); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, open := <-input:
			if !open && exitWithStdin {
				return nil
			}
			if !open {
				input = nil // such as /dev/null: go on without commands
				continue
			}
			running, cancel := context.WithTimeout(ctx, timeout)
			result := c.Execute(running, line)
			cancel()
			if err := output.Encode(result); err != nil {
				return err
			}
		}
	}
}
