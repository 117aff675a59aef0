package io.watchfan.proxy.passthrough;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What of a client's request goes on to the API server: pure functions of the request's head. */
final class ForwardedRequest {
    private static final String UNVERIFIED_IDENTITY = "x-remote-";
    private static final String SPDY = "spdy/";
    private static final String WEBSOCKET = "websocket";
    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
    private static final Set<HttpMethod> RARELY_WITH_BODY =
            Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.DELETE);
    private static final String ASCII_ONLY = "[\\x21-\\x7e]*";

    private ForwardedRequest() {}

    /** How the body is delimited. */
    enum Body {
        NONE,
        LENGTH,
        CHUNKED
    }

    /** Whether the method changes nothing. */
    static boolean isReading(HttpServerRequest request) {
        return READING.contains(request.method());
    }

    /**
     * The protocol to switch to, if the client asks for one that can be let through. Others are not asked for upstream:
     * after h2c, say, there would be requests on the connection that nobody looks at.
     */
    static Optional<String> upgrade(HttpServerRequest request) {
        String protocol = request.getHeader(HttpHeaders.UPGRADE);
        if (request.version() != HttpVersion.HTTP_1_1
                || protocol == null
                || body(request) != Body.NONE
                || !HopByHopHeaders.hasConnectionOption(request.headers(), "upgrade")) {
            return Optional.empty();
        }
        String lower = protocol.toLowerCase(Locale.ROOT);
        return lower.equals(WEBSOCKET) || lower.startsWith(SPDY) ? Optional.of(protocol) : Optional.empty();
    }

    /**
     * Method, request target and headers as they go on, without credential and address.
     *
     * @param upgrade the protocol to ask for
     * @return empty if there is something in them that HTTP does not allow
     */
    static Optional<RequestOptions> head(HttpServerRequest request, Optional<String> upgrade) {
        MultiMap headers = HttpHeaders.headers();
        try {
            HopByHopHeaders.copyEndToEnd(request.headers(), headers);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        if (headers.contains("") || !isDelimitedPlainly(request)) {
            return Optional.empty();
        }
        return target(request.uri()).map(target -> {
            headers.remove(HttpHeaders.HOST);
            List.copyOf(headers.names()).stream()
                    .filter(name -> name.toLowerCase(Locale.ROOT).startsWith(UNVERIFIED_IDENTITY))
                    .forEach(headers::remove);
            upgrade.ifPresent(protocol ->
                    headers.add(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE).add(HttpHeaders.UPGRADE, protocol));
            return new RequestOptions()
                    .setMethod(request.method())
                    .setURI(target)
                    .setHeaders(headers);
        });
    }

    /** Other transfer codings than chunked would have to be undone, as the header does not go on. */
    private static boolean isDelimitedPlainly(HttpServerRequest request) {
        List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
        return codings.isEmpty()
                || (codings.size() == 1 && codings.get(0).strip().equalsIgnoreCase("chunked"));
    }

    static Body body(HttpServerRequest request) {
        if (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
            return Body.CHUNKED;
        }
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length != null) {
            return length.strip().equals("0") ? Body.NONE : Body.LENGTH;
        }
        // HTTP/2 delimits bodies by frames, and says nothing of them in the head.
        boolean framed = request.version() == HttpVersion.HTTP_2;
        return framed && !RARELY_WITH_BODY.contains(request.method()) ? Body.CHUNKED : Body.NONE;
    }

    static boolean expectsContinue(HttpServerRequest request) {
        return HttpHeaders.CONTINUE.toString().equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT));
    }

    /**
     * The request target in origin form, byte for byte. Bytes beyond ASCII arrive as one char each and leave as UTF-8:
     * they are turned into what yields the same bytes, if anything does.
     */
    private static Optional<String> target(String uri) {
        String target = uri.startsWith("/") ? uri : withoutOrigin(uri);
        if (!target.startsWith("/")) {
            return Optional.empty();
        }
        if (target.matches(ASCII_ONLY)) {
            return Optional.of(target);
        }
        byte[] bytes = target.getBytes(StandardCharsets.ISO_8859_1);
        String decoded = new String(bytes, StandardCharsets.UTF_8);
        boolean same = Arrays.equals(bytes, decoded.getBytes(StandardCharsets.UTF_8));
        boolean plain = target.chars().allMatch(c -> c > ' ' && c != 0x7f);
        return same && plain ? Optional.of(decoded) : Optional.empty();
    }

    /** From {@code http://host/path} what begins at the path. */
    private static String withoutOrigin(String uri) {
        int scheme = uri.indexOf("://");
        if (scheme <= 0) {
            return "";
        }
        int path = uri.indexOf('/', scheme + 3);
        return path < 0 ? "/" : uri.substring(path);
    }
}
