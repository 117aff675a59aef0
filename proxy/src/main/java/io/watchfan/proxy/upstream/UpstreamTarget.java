package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import io.watchfan.proxy.config.HttpUrl;
import io.watchfan.proxy.config.UpstreamConfig;
import io.watchfan.proxy.config.UsageException;
import java.net.URI;
import java.util.Optional;

/**
 * Where the API server is, whom to take for it, and as whom to come. Immutable but for the credentials.
 *
 * <p>Its parts come from a kubeconfig, from flags, or from the pod's service account: {@link UpstreamTargetLoader}.
 */
public final class UpstreamTarget {
    private static final int HTTPS_PORT = 443;
    private static final int HTTP_PORT = 80;

    private final boolean ssl;
    private final String host;
    private final int port;
    private final String basePath;
    private final String authority;
    private final String tlsName;
    private final Trust trust;
    private final UpstreamCredentials credentials;

    /**
     * Whose certificate is accepted.
     *
     * @param authorities certificates to trust, PEM; none for those that the JDK trusts
     * @param insecure whether any certificate will do
     * @param serverName the name that the certificate must have; none for the host of the URL
     */
    record Trust(Optional<Buffer> authorities, boolean insecure, Optional<String> serverName) {}

    /**
     * Finds the API server and reads all that is needed to connect to it: files, and the output of credential plugins.
     * Blocks; connects nowhere.
     *
     * @throws UsageException if anything about it is wrong
     */
    public static UpstreamTarget of(UpstreamConfig config) {
        return new UpstreamTargetLoader(System.getenv(), UpstreamTargetLoader.SERVICE_ACCOUNT).load(config);
    }

    /**
     * Takes {@code url} apart.
     *
     * @param origin names the flag or file in errors
     */
    UpstreamTarget(String url, String origin, Trust trust, UpstreamCredentials.Source source) {
        URI parts = parse(url, origin);
        this.ssl = parts.getScheme().equalsIgnoreCase("https");
        String literal = parts.getHost();
        this.host = literal.startsWith("[") ? literal.substring(1, literal.length() - 1) : literal;
        int standard = ssl ? HTTPS_PORT : HTTP_PORT;
        this.port = parts.getPort() < 0 ? standard : parts.getPort();
        this.authority = port == standard ? literal : literal + ":" + port;
        this.basePath = parts.getRawPath().replaceAll("/+$", "");
        this.trust = trust;
        this.tlsName = trust.serverName().orElse(host);
        this.credentials = new UpstreamCredentials(source);
    }

    /** Makes sure that this is a URL that the proxy can use. */
    static URI parse(String url, String origin) {
        try {
            return HttpUrl.parse(url);
        } catch (IllegalArgumentException e) {
            throw new UsageException(origin + ": " + e.getMessage());
        }
    }

    /** Whether connections are encrypted. */
    public boolean ssl() {
        return ssl;
    }

    /** Name or address to connect to; IPv6 without brackets. */
    public String host() {
        return host;
    }

    /** Port to connect to. */
    public int port() {
        return port;
    }

    /** What stands before every path: empty, or with a slash in front and none behind. */
    public String basePath() {
        return basePath;
    }

    /** The value of the header {@code Host}. */
    public String authority() {
        return authority;
    }

    /** The name that the server's certificate must have. */
    String tlsName() {
        return tlsName;
    }

    /** The name to ask for in the TLS handshake; none if that would be an address. */
    Optional<String> sniName() {
        boolean address = tlsName.indexOf(':') >= 0 || tlsName.matches("[0-9.]+");
        return address ? Optional.empty() : Optional.of(tlsName);
    }

    /** Where to connect. */
    SocketAddress address() {
        return SocketAddress.inetSocketAddress(port, host);
    }

    /** By what the proxy is known to the API server. */
    public UpstreamCredentials credentials() {
        return credentials;
    }

    /** Trust and client certificate, with the credentials as they are now. */
    ClientSSLOptions sslOptions() {
        ClientSSLOptions options = new ClientSSLOptions()
                .setHostnameVerificationAlgorithm(trust.insecure() ? "" : "HTTPS")
                .setTrustAll(trust.insecure());
        trust.authorities().ifPresent(pem -> options.setTrustOptions(new PemTrustOptions().addCertValue(pem)));
        credentials.current().keyCertOptions().ifPresent(options::setKeyCertOptions);
        return options;
    }

    /** Its URL. */
    @Override
    public String toString() {
        return (ssl ? "https://" : "http://") + authority + basePath;
    }
}
