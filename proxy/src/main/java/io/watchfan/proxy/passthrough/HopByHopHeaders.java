package io.watchfan.proxy.passthrough;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Headers that are about one connection and not about the message (RFC 9110, 7.6.1), and so are never forwarded: those of
 * a fixed list, and those that the header {@code Connection} names. What tells who is asking and what is meant cannot be
 * taken off by being named there.
 */
public final class HopByHopHeaders {
    private static final Set<String> FIXED = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");
    private static final Set<String> NOT_TO_BE_NAMED = Set.of("authorization", "host", "content-length", "expect");
    private static final Pattern COMMA = Pattern.compile(",");
    private static final String IMPERSONATION = "impersonate-";

    private HopByHopHeaders() {}

    /** Adds to {@code to} all of {@code from} that is end-to-end, in order and as spelled, repeated ones too. */
    static void copyEndToEnd(MultiMap from, MultiMap to) {
        Set<String> named = named(from);
        for (Map.Entry<String, String> header : from) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!FIXED.contains(name) && !named.contains(name)) {
                to.add(header.getKey(), header.getValue());
            }
        }
    }

    /** Whether the header {@code Connection} has this option, in lower case. */
    static boolean hasConnectionOption(MultiMap headers, String option) {
        return connectionOptions(headers).anyMatch(option::equals);
    }

    private static Set<String> named(MultiMap headers) {
        return connectionOptions(headers)
                .filter(name -> !NOT_TO_BE_NAMED.contains(name) && !name.startsWith(IMPERSONATION))
                .collect(Collectors.toSet());
    }

    private static Stream<String> connectionOptions(MultiMap headers) {
        return headers.getAll(HttpHeaders.CONNECTION).stream()
                .flatMap(COMMA::splitAsStream)
                .map(option -> option.strip().toLowerCase(Locale.ROOT));
    }
}
