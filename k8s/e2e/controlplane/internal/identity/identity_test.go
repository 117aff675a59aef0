package identity

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
)

func TestEnsureKeepsWhatItMade(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "pki")
	first, err := Ensure(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Ensure(dir)
	if err != nil {
		t.Fatal(err)
	}
	if first.AdminToken == "" || first.UserToken == "" {
		t.Errorf("no tokens in %+v", first)
	}
	if first.AdminToken != second.AdminToken || first.UserToken != second.UserToken {
		t.Error("the tokens changed")
	}
	if first.AdminToken == first.UserToken {
		t.Error("both users have one token")
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("left beside the identity: %v, %v", entries, err)
	}
}

func TestCertificates(t *testing.T) {
	id, err := Ensure(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(id.CACert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatal("no CA certificate")
	}
	for _, c := range []struct {
		cert, key string
		options   x509.VerifyOptions
	}{
		{id.ServerCert, id.ServerKey, x509.VerifyOptions{DNSName: "127.0.0.1"}},
		{id.ServerCert, id.ServerKey, x509.VerifyOptions{DNSName: "localhost"}},
		{id.AdminCert, id.AdminKey, x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}},
	} {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key) // checks that they belong together
		if err != nil {
			t.Fatal(err)
		}
		c.options.Roots = roots
		if _, err := pair.Leaf.Verify(c.options); err != nil {
			t.Errorf("%s: %v", c.cert, err)
		}
	}
	for _, secret := range []string{id.ServerKey, id.AdminKey, id.ServiceAccountKey, id.TokenFile} {
		if info, err := os.Stat(secret); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", secret, info.Mode(), err)
		}
	}
}
