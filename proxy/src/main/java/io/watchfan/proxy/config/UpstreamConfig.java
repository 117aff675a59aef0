package io.watchfan.proxy.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the API server is. Either a kubeconfig, or a URL, or neither: then the service account of the pod, else
 * {@code $KUBECONFIG}, else {@code ~/.kube/config}.
 *
 * @param kubeconfig the file named by {@code --kubeconfig}
 * @param context its context, instead of the current one
 * @param url {@code http} or {@code https}, host, optional port and path
 * @param caFile certificates to trust, PEM; only with {@code url}
 * @param tokenFile file with a bearer token; only with {@code url}
 */
public record UpstreamConfig(
        Optional<Path> kubeconfig,
        Optional<String> context,
        Optional<URI> url,
        Optional<Path> caFile,
        Optional<Path> tokenFile) {

    /** Checks what excludes what. */
    public UpstreamConfig {
        if (url.isPresent()) {
            if (kubeconfig.isPresent()) {
                throw new UsageException("--kubeconfig: cannot be used together with --upstream");
            }
            if (context.isPresent()) {
                throw new UsageException("--context: names a context of a kubeconfig, there is none with --upstream");
            }
        } else if (caFile.isPresent()) {
            throw new UsageException("--upstream-ca: goes with --upstream only");
        } else if (tokenFile.isPresent()) {
            throw new UsageException("--upstream-token-file: goes with --upstream only");
        }
    }
}
