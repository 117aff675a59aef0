package identity

import (
	"crypto/rand"
	"encoding/csv"
	"fmt"
	"os"
)

// adminGroup is the group that RBAC lets do everything.
const adminGroup = "system:masters"

// writeTokens writes the apiserver's static token file: token, user, uid and,
// for the administrator only, a group. The plain user has no right at all until
// a test binds a role to it.
func (id *Identity) writeTokens() error {
	file, err := os.OpenFile(id.TokenFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	err = w.WriteAll([][]string{
		{rand.Text(), AdminUser, AdminUser, adminGroup},
		{rand.Text(), PlainUser, PlainUser},
	})
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (id *Identity) readTokens() error {
	file, err := os.Open(id.TokenFile)
	if err != nil {
		return err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = -1 // the group is optional
	records, err := r.ReadAll()
	if err != nil {
		return err
	}
	for _, record := range records {
		if len(record) < 3 {
			return fmt.Errorf("%s: a line of %d fields", id.TokenFile, len(record))
		}
		switch record[1] {
		case AdminUser:
			id.AdminToken = record[0]
		case PlainUser:
			id.UserToken = record[0]
		}
	}
	if id.AdminToken == "" || id.UserToken == "" {
		return fmt.Errorf("%s: no token for %s or %s", id.TokenFile, AdminUser, PlainUser)
	}
	return nil
}
