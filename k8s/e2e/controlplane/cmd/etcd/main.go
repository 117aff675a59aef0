// Command etcd runs one etcd member on loopback for end-to-end tests. It is the
// embedded server of the release that the Kubernetes release beside it pins, so
// any etcd client can read, write and compact it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// quotaBytes is what upstream's own integration tests give etcd: a long test
// run must not end in etcd's out-of-space alarm.
const quotaBytes = 8 << 30

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func run() error {
	dataDir := flag.String("data-dir", "", "directory of the data (required)")
	clientPort := flag.Int("client-port", 2379, "port on 127.0.0.1 for clients")
	fsync := flag.Bool("fsync", false, "fsync writes; without it a power loss (not a killed process) can lose data")
	progress := flag.Duration("watch-progress-notify-interval", 5*time.Second,
		"how often an idle watch is told the current revision (the default is kubeadm's)")
	logLevel := flag.String("log-level", "warn", "debug, info, warn or error")
	flag.Parse()
	if *dataDir == "" || flag.NArg() != 0 {
		flag.Usage()
		return fmt.Errorf("--data-dir is required, and no arguments")
	}

	// From here on, so that a signal during the start ends it in order as well.
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)

	client := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", *clientPort)}
	cfg := embed.NewConfig()
	cfg.Dir = *dataDir
	cfg.ListenClientUrls = []url.URL{client}
	cfg.AdvertiseClientUrls = []url.URL{client}
	// No peer ever connects, and several instances may run on one machine.
	cfg.ListenPeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.UnsafeNoFsync = !*fsync
	cfg.WatchProgressNotifyInterval = *progress
	cfg.QuotaBackendBytes = quotaBytes
	cfg.LogLevel = *logLevel
	cfg.LogOutputs = []string{"stderr"}

	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return err
	}
	defer etcd.Close()

	select {
	case <-etcd.Server.ReadyNotify():
	case err := <-etcd.Err():
		return err
	case <-stop:
		return nil
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"ready": true, "client": client.String(), "pid": os.Getpid(),
	}); err != nil {
		return err
	}

	select {
	case err := <-etcd.Err():
		return err
	case <-etcd.Server.StopNotify():
		return fmt.Errorf("the server stopped by itself")
	case <-stop:
		return nil
	}
}
