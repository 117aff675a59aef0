package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"time"
)

// Ports are picked below the range that the kernel takes for outgoing
// connections (from 32768 on Linux): from there any connection could take a
// server's port while the server is down between a kill and a start.
const (
	portLow  = 20000
	portHigh = 32000
	// portWait bounds the wait for a port that the last run's servers, killed
	// with their parent, may not have let go yet.
	portWait = 5 * time.Second
)

// ports are kept in a file, so a directory that is used again keeps its URL.
type ports struct {
	APIServer int `json:"apiserver"`
	Etcd      int `json:"etcd"`
}

// choosePorts takes the ports wanted, else those kept in the file, else free
// ones, and keeps them in the file.
func choosePorts(file string, wanted ports) (ports, error) {
	var kept ports
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ports{}, fmt.Errorf("%s: %w", file, err)
	}
	var chosen ports
	if chosen.Etcd, err = choosePort(wanted.Etcd, kept.Etcd, wanted.APIServer); err != nil {
		return ports{}, fmt.Errorf("port of etcd: %w", err)
	}
	if chosen.APIServer, err = choosePort(wanted.APIServer, kept.APIServer, chosen.Etcd); err != nil {
		return ports{}, fmt.Errorf("port of the apiserver: %w", err)
	}
	data, err = json.Marshal(chosen)
	if err != nil {
		return ports{}, err
	}
	return chosen, os.WriteFile(file, append(data, '\n'), 0o600)
}

func choosePort(wanted, kept, taken int) (int, error) {
	for _, port := range []int{wanted, kept} {
		if port != 0 {
			return port, awaitFree(port)
		}
	}
	for range 200 {
		port := portLow + rand.IntN(portHigh-portLow)
		if port != taken && probe(port) == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("none free between %d and %d", portLow, portHigh)
}

func awaitFree(port int) error {
	deadline := time.Now().Add(portWait)
	for {
		err := probe(port)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pollEvery)
	}
}

func probe(port int) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return listener.Close()
}
