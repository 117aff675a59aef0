package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// askTimeout bounds one question for readiness.
const askTimeout = 2 * time.Second

// etcdReady tells whether etcd answers on its client port.
func etcdReady(url string) func(context.Context) error {
	client := newHTTPClient(nil)
	return func(ctx context.Context) error {
		return askOK(ctx, client, url+"/readyz", "")
	}
}

// apiserverReady tells whether the apiserver is ready and has made the default
// namespace, which it does some time after it calls itself ready.
func apiserverReady(url, caFile, token string) (func(context.Context) error, error) {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	client := newHTTPClient(&tls.Config{RootCAs: roots})
	return func(ctx context.Context) error {
		for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
			if err := askOK(ctx, client, url+path, token); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// newHTTPClient keeps no connection: the servers come and go.
func newHTTPClient(config *tls.Config) *http.Client {
	return &http.Client{Timeout: askTimeout, Transport: &http.Transport{
		TLSClientConfig: config, DisableKeepAlives: true,
	}}
}

func askOK(ctx context.Context, client *http.Client, url, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, tailBytes))
	return fmt.Errorf("%s: %s: %s", url, response.Status, body)
}
