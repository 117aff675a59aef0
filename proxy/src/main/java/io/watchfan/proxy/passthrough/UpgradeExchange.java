package io.watchfan.proxy.passthrough;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetSocket;
import io.watchfan.proxy.upstream.UpstreamClient;
import java.io.IOException;

/**
 * A request to switch protocols. When the API server does, both connections become one tunnel, with back-pressure in both
 * directions; what one side sent before it closed still gets to the other, which is closed then. When it does not, its
 * answer is forwarded like any other, and the client's connection goes on.
 */
final class UpgradeExchange extends Exchange implements AnswerReader.Sink {
    private final AnswerReader reader = new AnswerReader(this);
    private NetSocket upstream;
    private boolean tunnel;

    UpgradeExchange(UpstreamClient client, HttpServerRequest request, Runnable onFinished) {
        super(client, request, onFinished);
    }

    @Override
    void send(RequestOptions head) {
        client.open(head, this::upstreamClosed).onComplete(this::connected, this::unreachable);
    }

    private void connected(NetSocket socket) {
        upstream = socket;
        if (isFinished()) {
            socket.close();
            return;
        }
        socket.exceptionHandler(e -> {});
        socket.handler(reader);
        socket.endHandler(v -> reader.closed());
    }

    private void upstreamClosed() {
        if (tunnel) {
            finish();
        }
    }

    @Override
    void resetUpstream() {
        if (upstream != null) {
            upstream.close();
        }
    }

    // ---- the answer, as the reader has it

    @Override
    public void switched(Buffer head, Buffer rest) {
        if (isFinished()) {
            resetUpstream();
            return;
        }
        upstream.pause();
        ClientSocket.of(request).onComplete(socket -> splice(socket, head, rest), this::abort);
    }

    private void splice(NetSocket socket, Buffer head, Buffer rest) {
        tunnel = true;
        socket.closeHandler(v -> finish());
        socket.write(head);
        if (rest.length() > 0) {
            socket.write(rest);
        }
        socket.pipe().to(upstream);
        upstream.pipe().to(socket);
    }

    @Override
    public void head(int code, String message, MultiMap headers, boolean hasBody) {
        if (isFinished()) {
            return;
        }
        copyHead(code, message, headers);
        if (hasBody) {
            response.setChunked(!headers.contains(HttpHeaders.CONTENT_LENGTH));
            response.writeHead();
        }
    }

    @Override
    public void data(Buffer piece) {
        if (isFinished()) {
            return;
        }
        response.write(piece);
        if (response.writeQueueFull()) {
            upstream.pause();
            response.drainHandler(v -> upstream.resume());
        }
    }

    @Override
    public void end() {
        if (finish()) {
            resetUpstream();
            request.resume();
            response.end();
        }
    }

    @Override
    public void broken(IOException cause) {
        if (response.headWritten()) {
            abort(cause);
        } else {
            unanswered(cause);
        }
    }
}
