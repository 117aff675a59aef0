package cluster

import (
	"context"
	"fmt"
	"strings"
)

// Result is the answer to one command.
type Result struct {
	Command      string `json:"command"`
	OK           bool   `json:"ok"`
	Error        string `json:"error,omitempty"`
	EtcdPID      int    `json:"etcdPid,omitempty"`      // absent while it doesn't run
	APIServerPID int    `json:"apiserverPid,omitempty"` // absent while it doesn't run
	Revision     int64  `json:"revision,omitempty"`     // of compact
}

// Usage lists the commands.
const Usage = "status | compact | {start|stop|kill|restart} {apiserver|etcd}"

// Execute carries out one command line and answers when it is done: after a
// start, when the server can be used again.
func (c *Cluster) Execute(ctx context.Context, line string) Result {
	words := strings.Fields(line)
	result := Result{Command: strings.Join(words, " ")}
	var err error
	switch len(words) {
	case 1:
		switch words[0] {
		case "status":
		case "compact":
			result.Revision, err = compact(ctx, c.etcdURL)
		default:
			err = errUnknown
		}
	case 2:
		err = c.drive(ctx, words[0], words[1])
	default:
		err = errUnknown
	}
	result.OK = err == nil
	if err != nil {
		result.Error = err.Error()
	}
	result.EtcdPID, result.APIServerPID = c.etcd.pid(), c.apiserver.pid()
	return result
}

var errUnknown = fmt.Errorf("unknown command; there are: %s", Usage)

func (c *Cluster) drive(ctx context.Context, verb, name string) error {
	server := map[string]*child{"etcd": c.etcd, "apiserver": c.apiserver}[name]
	if server == nil {
		return errUnknown
	}
	switch verb {
	case "kill":
		return server.kill()
	case "stop":
		return server.stop()
	case "restart":
		if err := server.stop(); err != nil {
			return err
		}
		return c.start(ctx, server)
	case "start":
		return c.start(ctx, server)
	default:
		return errUnknown
	}
}

// start also waits for an apiserver that has to find its etcd again.
func (c *Cluster) start(ctx context.Context, server *child) error {
	if err := server.start(ctx); err != nil {
		return err
	}
	if server == c.etcd && c.apiserver.pid() != 0 {
		return c.apiserver.awaitReady(ctx)
	}
	return nil
}
