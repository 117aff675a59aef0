package io.watchfan.loadtest.swarm;

import io.netty.handler.ssl.SslContext;
import java.net.URI;

/**
 * What is watched: one collection of one server. Immutable.
 *
 * @param host name or address
 * @param collection the path of the collection over all namespaces, such as {@code /api/v1/pods}
 * @param ssl null for plain HTTP
 * @param bearerToken empty for none
 */
public record Target(String host, int port, String collection, SslContext ssl, String bearerToken) {

    /** A collection of a server without TLS or credentials. */
    public static Target of(URI server, String collection) {
        return of(server, collection, null, "");
    }

    /** A collection of a server. */
    public static Target of(URI server, String collection, SslContext ssl, String bearerToken) {
        int port = server.getPort();
        if (port < 0) {
            port = ssl == null ? 80 : 443;
        }
        String prefix = server.getPath() == null ? "" : server.getPath();
        String path = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
        return new Target(server.getHost(), port, path + collection, ssl, bearerToken);
    }

    /** The head of a GET request. */
    String request(String pathAndQuery) {
        return "GET " + pathAndQuery + " HTTP/1.1\r\nHost: " + host + ":" + port
                + "\r\nAccept: application/json\r\nUser-Agent: watchfan-loadtest\r\n"
                + (bearerToken.isEmpty() ? "" : "Authorization: Bearer " + bearerToken + "\r\n") + "\r\n";
    }
}
