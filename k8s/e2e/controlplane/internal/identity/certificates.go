package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

// lifetime is long because a kept directory is meant to go on working; nothing
// here guards more than a loopback server made for tests.
const lifetime = 10 * 365 * 24 * time.Hour

// authority is a CA that is forgotten once its certificates are made: its key
// is never written, as nothing signs with it later.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func (id *Identity) writeCertificates() error {
	ca, err := newAuthority("watchfan e2e CA")
	if err != nil {
		return err
	}
	if err := writePEM(id.CACert, "CERTIFICATE", ca.cert.Raw, 0o644); err != nil {
		return err
	}
	server := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost", "kubernetes", "kubernetes.default",
			"kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if err := ca.issue(server, id.ServerCert, id.ServerKey); err != nil {
		return err
	}
	admin := &x509.Certificate{
		// The apiserver reads the user from CN and its groups from O.
		Subject:     pkix.Name{CommonName: AdminUser, Organization: []string{adminGroup}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if err := ca.issue(admin, id.AdminCert, id.AdminKey); err != nil {
		return err
	}
	return writeKeyPair(id.ServiceAccountKey, id.ServiceAcctPub)
}

func newAuthority(name string) (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	der, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key}, nil
}

// issue makes a key, has the CA sign the template for it, and writes both.
func (ca *authority) issue(template *x509.Certificate, certFile, keyFile string) error {
	key, err := newKey()
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.BasicConstraintsValid = true
	der, err := sign(template, ca.cert, key, ca.key)
	if err != nil {
		return err
	}
	if err := writePEM(certFile, "CERTIFICATE", der, 0o644); err != nil {
		return err
	}
	return writeKey(keyFile, key)
}

func sign(template, parent *x509.Certificate, subject, signer *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	// An hour back: a client with a clock a little behind still accepts it.
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(lifetime)
	return x509.CreateCertificate(rand.Reader, template, parent, subject.Public(), signer)
}

func newKey() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func writeKeyPair(privateFile, publicFile string) error {
	key, err := newKey()
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := writePEM(publicFile, "PUBLIC KEY", der, 0o644); err != nil {
		return err
	}
	return writeKey(privateFile, key)
}

// writeKey writes PKCS#8, the one form that Java reads without a library too.
func writeKey(file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(file, "PRIVATE KEY", der, 0o600)
}

func writePEM(file, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
