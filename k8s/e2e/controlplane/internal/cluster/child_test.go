package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shell is a child that runs a script, and the channel of its notifications.
func shell(t *testing.T, script string, ready error) (*child, chan string) {
	t.Helper()
	notes := make(chan string, 1)
	c := &child{
		name:    "script",
		command: []string{"/bin/sh", "-c", script},
		logFile: filepath.Join(t.TempDir(), "log"),
		ready:   func(context.Context) error { return ready },
		notify:  func(text string) { notes <- text },
	}
	t.Cleanup(func() {
		if c.pid() != 0 {
			_ = c.kill()
		}
	})
	return c, notes
}

func TestChildStartsAgainAfterKill(t *testing.T) {
	c, notes := shell(t, "exec sleep 60", nil)
	for range 2 {
		if err := c.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.pid() == 0 {
			t.Error("doesn't run")
		}
		if c.start(t.Context()) == nil {
			t.Error("started twice")
		}
		if err := c.kill(); err != nil {
			t.Fatal(err)
		}
		if c.pid() != 0 || c.kill() == nil || c.stop() == nil {
			t.Error("runs after a kill")
		}
	}
	select {
	case text := <-notes:
		t.Errorf("a wanted end was notified: %s", text)
	default:
	}
}

func TestChildTellsOfItsOwnEnd(t *testing.T) {
	c, notes := shell(t, "sleep 0.2; exit 3", nil)
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-notes:
		if !strings.Contains(text, "exit status 3") {
			t.Error(text)
		}
	case <-time.After(10 * time.Second):
		t.Error("no notification")
	}
}

func TestChildThatEndsBeforeItIsReady(t *testing.T) {
	c, _ := shell(t, "echo no such flag; exit 1", errors.New("not yet"))
	err := c.start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("the error doesn't quote the log: %v", err)
	}
}

func TestChildThatNeverGetsReady(t *testing.T) {
	c, _ := shell(t, "exec sleep 60", errors.New("not yet"))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := c.start(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not yet") {
		t.Errorf("%v", err)
	}
}
