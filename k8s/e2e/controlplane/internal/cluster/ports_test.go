package cluster

import (
	"net"
	"path/filepath"
	"testing"
)

func TestChoosePortsKeepsThem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ports.json")
	first, err := choosePorts(file, ports{})
	if err != nil {
		t.Fatal(err)
	}
	if first.Etcd == 0 || first.APIServer == 0 || first.Etcd == first.APIServer {
		t.Errorf("chose %+v", first)
	}
	second, err := choosePorts(file, ports{})
	if err != nil || second != first {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
}

func TestChoosePortsTakesTheWantedOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ports.json")
	first, err := choosePorts(file, ports{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := choosePort(0, 0, first.APIServer)
	if err != nil {
		t.Fatal(err)
	}
	second, err := choosePorts(file, ports{APIServer: other})
	if err != nil || second.APIServer != other || second.Etcd != first.Etcd {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
}

func TestProbeSeesATakenPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if probe(listener.Addr().(*net.TCPAddr).Port) == nil {
		t.Error("the port looks free")
	}
}
