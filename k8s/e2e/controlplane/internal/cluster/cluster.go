// Package cluster runs an etcd and a kube-apiserver as child processes on
// loopback, with everything they need in one directory.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"watchfan/k8s/e2e/controlplane/internal/identity"
)

// Options say where a cluster lives.
type Options struct {
	Dir    string // holds all its files; made when missing
	BinDir string // has the programs etcd and apiserver
	// Ports; 0 takes the one used in Dir before, else a free one.
	APIServerPort, EtcdPort int
	// APIServerFlags are further flags of kube-apiserver.
	APIServerFlags []string
	// Notify hears of a server that ended by itself. It is called on any
	// goroutine.
	Notify func(string)
}

// Cluster is a control plane. Its methods are for one goroutine only, and that
// one must be locked to a thread that lives as long as the program (see child).
type Cluster struct {
	dir, kubeconfig, server, etcdURL string

	id              *identity.Identity
	etcd, apiserver *child
	lock            *os.File
}

// Info is what a user of a started cluster needs to know.
type Info struct {
	Kubeconfig   string `json:"kubeconfig"`
	Server       string `json:"server"`
	CA           string `json:"ca"`
	AdminToken   string `json:"adminToken"`
	UserToken    string `json:"userToken"`
	UserName     string `json:"userName"`
	EtcdURL      string `json:"etcd"`
	EtcdPID      int    `json:"etcdPid"`
	APIServerPID int    `json:"apiserverPid"`
	Dir          string `json:"dir"`
}

// New lays out the directory, reusing what an earlier run left there, and
// starts nothing yet. Close must be called on what it returns.
func New(options Options) (_ *Cluster, err error) {
	// Absolute, because the paths go into other programs' hands.
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	chosen, err := choosePorts(filepath.Join(dir, "ports.json"),
		ports{APIServer: options.APIServerPort, Etcd: options.EtcdPort})
	if err != nil {
		return nil, err
	}
	id, err := identity.Ensure(filepath.Join(dir, "pki"))
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		dir:        dir,
		kubeconfig: filepath.Join(dir, "kubeconfig"),
		server:     fmt.Sprintf("https://127.0.0.1:%d", chosen.APIServer),
		etcdURL:    fmt.Sprintf("http://127.0.0.1:%d", chosen.Etcd),
		id:         id,
		lock:       lock,
	}
	if err := writeKubeconfig(c.kubeconfig, c.server, id); err != nil {
		return nil, err
	}
	ready, err := apiserverReady(c.server, id.CACert, id.AdminToken)
	if err != nil {
		return nil, err
	}
	c.etcd = &child{
		name: "etcd",
		command: []string{filepath.Join(options.BinDir, "etcd"),
			"--data-dir=" + filepath.Join(dir, "etcd"),
			"--client-port=" + strconv.Itoa(chosen.Etcd)},
		logFile: filepath.Join(dir, "etcd.log"),
		ready:   etcdReady(c.etcdURL),
		notify:  options.Notify,
	}
	c.apiserver = &child{
		name: "apiserver",
		command: append([]string{filepath.Join(options.BinDir, "apiserver")},
			append(apiserverFlags(chosen.APIServer, c.etcdURL, id), options.APIServerFlags...)...),
		logFile: filepath.Join(dir, "apiserver.log"),
		ready:   ready,
		notify:  options.Notify,
	}
	return c, nil
}

// lockDir makes sure that one directory has one control plane: two would write
// the same etcd data. The kernel lets go of the lock when the program ends.
func lockDir(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is used by a running control plane: %w", dir, err), lock.Close())
	}
	return lock, nil
}

// Up starts both servers and waits till the cluster can be used.
func (c *Cluster) Up(ctx context.Context) error {
	if err := c.etcd.start(ctx); err != nil {
		return err
	}
	return c.apiserver.start(ctx)
}

// Close stops what runs, the apiserver first as it needs etcd to end in order.
func (c *Cluster) Close() error {
	var errs []error
	for _, server := range []*child{c.apiserver, c.etcd} {
		if server.pid() != 0 {
			errs = append(errs, server.stop())
		}
	}
	return errors.Join(append(errs, c.lock.Close())...)
}

// Info describes the cluster as it is now.
func (c *Cluster) Info() Info {
	return Info{
		Kubeconfig: c.kubeconfig, Server: c.server, CA: c.id.CACert,
		AdminToken: c.id.AdminToken, UserToken: c.id.UserToken, UserName: identity.PlainUser,
		EtcdURL: c.etcdURL, EtcdPID: c.etcd.pid(), APIServerPID: c.apiserver.pid(), Dir: c.dir,
	}
}
