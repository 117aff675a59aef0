package io.watchfan.proxy.upstream;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bounded pool of HTTP/1.1 connections to the API server, which adds what a request needs to get there: address, base
 * path, trust, and the proxy's own credential unless the request brings one. Bodies are left as they are: nothing is
 * decompressed, nothing asks for compression, no redirect is followed, nothing is sent twice.
 *
 * <p>Any thread may call; handlers run on the caller's Vert.x context.
 */
public final class UpstreamClient {
    /** Longest head of an answer that is accepted. */
    private static final int MOST_HEADER_BYTES = 256 * 1024;

    /** Longest piece of a body that is handed on. */
    private static final int MOST_BYTES_AT_ONCE = 64 * 1024;

    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    /** Shorter than API servers keep idle connections, so that no request meets one just closed; a burst leaves no heap. */
    private static final int KEEP_ALIVE_SECONDS = 10;

    private final UpstreamTarget target;
    private final HttpClientAgent http;
    private final Context context;
    private final NetClient raw;
    private final int maxConnections;
    private final AtomicInteger opened = new AtomicInteger();

    /**
     * Creates the pool; connects nowhere yet.
     *
     * @param vertx whose event loops run the connections
     * @param target where to
     * @param maxConnections most connections
     * @param maxWaiting most requests that wait for one; 0 for none. More fail with
     *     {@link io.vertx.core.http.ConnectionPoolTooBusyException}
     */
    UpstreamClient(Vertx vertx, UpstreamTarget target, int maxConnections, int maxWaiting) {
        this.target = target;
        this.context = vertx.getOrCreateContext();
        this.maxConnections = maxConnections;
        this.raw = vertx.createNetClient(new NetClientOptions()
                .setConnectTimeout(CONNECT_TIMEOUT_MILLIS)
                .setTcpKeepAlive(true)
                .setTcpNoDelay(true));
        HttpClientOptions options = new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_1_1)
                .setPipelining(false)
                .setKeepAlive(true)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setTcpKeepAlive(true)
                .setTcpNoDelay(true)
                .setConnectTimeout(CONNECT_TIMEOUT_MILLIS)
                .setDecompressionSupported(false)
                .setMaxChunkSize(MOST_BYTES_AT_ONCE)
                .setMaxHeaderSize(MOST_HEADER_BYTES)
                .setMaxInitialLineLength(MOST_HEADER_BYTES);
        PoolOptions pool = new PoolOptions().setHttp1MaxSize(maxConnections).setMaxWaitQueueSize(maxWaiting);
        this.http = vertx.httpClientBuilder()
                .with(options)
                .with(pool)
                .with(target.sslOptions())
                .build();
    }

    /**
     * A request on a connection of its own, ready to be sent.
     *
     * @param pathAndQuery as it is to be sent, without the target's base path
     * @return fails if there is no connection to be had, or the client is closed
     */
    public Future<HttpClientRequest> request(HttpMethod method, String pathAndQuery) {
        return request(new RequestOptions().setMethod(method).setURI(pathAndQuery));
    }

    /**
     * As {@link #request(HttpMethod, String)}, with headers, timeouts and the like. A header {@code Authorization} among
     * them replaces the proxy's own credential.
     *
     * @param options altered here: where the request goes is set
     */
    public Future<HttpClientRequest> request(RequestOptions options) {
        complete(options);
        options.setSsl(target.ssl())
                .setHost(target.tlsName())
                .setPort(target.port())
                .setServer(target.address())
                .setFollowRedirects(false);
        try {
            return http.request(options).map(request -> {
                request.putHeader(HttpHeaders.HOST, target.authority());
                return request;
            });
        } catch (IllegalStateException e) {
            return Future.failedFuture(new IllegalStateException("the client is closed", e));
        }
    }

    /**
     * A connection of its own, outside the pool but counted like one of it, on which the head of this request has been sent,
     * and nothing else. What comes back is not interpreted.
     *
     * @param options as for {@link #request(RequestOptions)}; method, URI and headers count
     * @param onClosed called when the connection is closed, if there was one; {@code closeHandler} is taken
     * @return fails like {@link #request(RequestOptions)}
     */
    public Future<NetSocket> open(RequestOptions options, Runnable onClosed) {
        if (opened.incrementAndGet() > maxConnections) {
            opened.decrementAndGet();
            return Future.failedFuture(new ConnectionPoolTooBusyException("all connections are in use"));
        }
        complete(options);
        ConnectOptions where = new ConnectOptions()
                .setHost(target.tlsName())
                .setPort(target.port())
                .setRemoteAddress(target.address());
        if (target.ssl()) {
            where.setSsl(true).setSslOptions(target.sslOptions());
            target.sniName().ifPresent(where::setSniServerName);
        }
        return raw.connect(where).onFailure(e -> opened.decrementAndGet()).map(socket -> {
            socket.closeHandler(v -> {
                opened.decrementAndGet();
                onClosed.run();
            });
            socket.write(head(options));
            return socket;
        });
    }

    /** Adds base path and credential. */
    private void complete(RequestOptions options) {
        options.setURI(target.basePath() + options.getURI());
        if (options.getHeaders() == null || !options.getHeaders().contains(HttpHeaders.AUTHORIZATION)) {
            target.credentials()
                    .authorization()
                    .ifPresent(value -> options.putHeader(HttpHeaders.AUTHORIZATION, value));
        }
    }

    private Buffer head(RequestOptions options) {
        Buffer head = Buffer.buffer(options.getMethod() + " " + options.getURI() + " HTTP/1.1\r\n")
                .appendString("Host: " + target.authority() + "\r\n");
        if (options.getHeaders() != null) {
            for (Map.Entry<String, String> header : options.getHeaders()) {
                head.appendString(header.getKey() + ": " + header.getValue() + "\r\n", "ISO-8859-1");
            }
        }
        return head.appendString("\r\n");
    }

    /** An answer that was read whole. */
    public record Answer(int code, MultiMap headers, Buffer body) {}

    /**
     * Asks for this and reads the answer whole; for answers of bounded size.
     *
     * <p>All of it happens in turns of one event loop of the client's own, so that no part of the answer can arrive between
     * two steps of another thread, when nobody is there to take it.
     *
     * @param pathAndQuery as it is to be sent, without the target's base path
     * @param timeoutMillis silence after which it fails
     * @return the answer, whatever its code; fails when there is none. Handlers run on the client's event loop
     */
    public Future<Answer> get(String pathAndQuery, long timeoutMillis) {
        return get(pathAndQuery, ObjectEncoding.JSON.listAccept(), timeoutMillis);
    }

    /** As {@link #get(String, long)}, with this {@code Accept} header. */
    Future<Answer> get(String pathAndQuery, String accept, long timeoutMillis) {
        Promise<Answer> promise = Promise.promise();
        context.runOnContext(v -> {
            request(HttpMethod.GET, pathAndQuery)
                    .compose(request -> request.putHeader(HttpHeaders.ACCEPT, accept)
                            .idleTimeout(timeoutMillis)
                            .send())
                    .compose(response ->
                            response.body().map(body -> new Answer(response.statusCode(), response.headers(), body)))
                    .onComplete(promise);
        });
        return promise.future();
    }

    /** Reads the credentials again, see {@link UpstreamCredentials#reload()}. */
    public Future<Void> reload() {
        return target.credentials().reload();
    }

    /** Where this client connects to. */
    public UpstreamTarget target() {
        return target;
    }

    /** New connections use these. */
    Future<Void> updateSsl(ClientSSLOptions options) {
        return http.updateSSLOptions(options, false).mapEmpty();
    }

    /** Closes every connection now. */
    Future<Void> close() {
        return Future.join(http.shutdown(Duration.ZERO), raw.shutdown(Duration.ZERO))
                .mapEmpty();
    }
}
