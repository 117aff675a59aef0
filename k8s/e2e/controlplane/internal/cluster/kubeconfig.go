package cluster

import (
	"os"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"watchfan/k8s/e2e/controlplane/internal/identity"
)

// Contexts of the kubeconfig; the first is the current one.
const (
	adminContext     = "admin"      // the administrator, by token
	adminCertContext = "admin-cert" // the administrator, by client certificate
	userContext      = "user"       // a user without rights, by token
)

// writeKubeconfig embeds every certificate and key, so that the file can be
// copied or mounted alone.
func writeKubeconfig(file, server string, id *identity.Identity) error {
	var pem [3][]byte
	for i, name := range []string{id.CACert, id.AdminCert, id.AdminKey} {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		pem[i] = data
	}
	const cluster = "controlplane"
	config := api.NewConfig()
	config.Clusters[cluster] = &api.Cluster{Server: server, CertificateAuthorityData: pem[0]}
	for name, user := range map[string]*api.AuthInfo{
		adminContext:     {Token: id.AdminToken},
		adminCertContext: {ClientCertificateData: pem[1], ClientKeyData: pem[2]},
		userContext:      {Token: id.UserToken},
	} {
		config.AuthInfos[name] = user
		config.Contexts[name] = &api.Context{Cluster: cluster, AuthInfo: name, Namespace: "default"}
	}
	config.CurrentContext = adminContext
	return clientcmd.WriteToFile(*config, file)
}
