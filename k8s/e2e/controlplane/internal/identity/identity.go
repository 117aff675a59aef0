// Package identity makes everything that says who is who in a control plane:
// its CA, certificates, service-account key and tokens.
package identity

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Names of the users that the tokens stand for.
const (
	AdminUser = "e2e-admin"
	PlainUser = "e2e-user"
)

// Identity is the set of files in one directory, and the tokens in one of them.
type Identity struct {
	CACert, ServerCert, ServerKey     string
	AdminCert, AdminKey               string
	ServiceAccountKey, ServiceAcctPub string
	TokenFile                         string
	AdminToken, UserToken             string
}

// Ensure loads the identity kept in dir, or makes a new one there. It is made
// in a directory beside it and renamed, so dir never holds half of one.
func Ensure(dir string) (*Identity, error) {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := create(dir); err != nil {
			return nil, fmt.Errorf("make certificates: %w", err)
		}
	} else if err != nil {
		return nil, err
	}
	id := at(dir)
	if err := id.readTokens(); err != nil {
		return nil, err
	}
	return id, nil
}

func at(dir string) *Identity {
	file := func(name string) string { return filepath.Join(dir, name) }
	return &Identity{
		CACert:            file("ca.crt"),
		ServerCert:        file("apiserver.crt"),
		ServerKey:         file("apiserver.key"),
		AdminCert:         file("admin.crt"),
		AdminKey:          file("admin.key"),
		ServiceAccountKey: file("service-account.key"),
		ServiceAcctPub:    file("service-account.pub"),
		TokenFile:         file("tokens.csv"),
	}
}

func create(dir string) (err error) {
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	id := at(tmp)
	if err := id.writeCertificates(); err != nil {
		return err
	}
	if err := id.writeTokens(); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}
