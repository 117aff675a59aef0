package cluster

import (
	"strconv"

	"watchfan/k8s/e2e/controlplane/internal/identity"
)

// apiserverFlags leaves all that is not needed on one machine at the server's
// defaults: the watch cache, priority and fairness, timeouts.
func apiserverFlags(port int, etcdURL string, id *identity.Identity) []string {
	return []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + id.ServerCert,
		"--tls-private-key-file=" + id.ServerKey,
		"--client-ca-file=" + id.CACert,
		"--token-auth-file=" + id.TokenFile,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + id.ServiceAcctPub,
		"--service-account-signing-key-file=" + id.ServiceAccountKey,
		"--service-cluster-ip-range=10.0.0.0/24",
		// No controller manager makes the service accounts that the plugin
		// demands of every pod.
		"--disable-admission-plugins=ServiceAccount",
		// Endpoints of the kubernetes service may not be on loopback.
		"--endpoint-reconciler-type=none",
		"--profiling=false",
	}
}
