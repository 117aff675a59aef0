package io.watchfan.k8s;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/**
 * Stands between one client and a server, byte for byte, can cut their connections or hold up new ones, and listens in on
 * what is asked and answered over HTTP/1.1.
 */
final class Relay implements AutoCloseable {
    /** A client that opens more at a time is out of its mind. */
    private static final int MOST_CONNECTIONS = 32;

    private static final int MOST_EXCHANGES = 10_000;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int CONNECT_MILLIS = 10_000;

    private final ServerSocket acceptor = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Connection> connections = new LinkedHashSet<>();
    private final List<Exchange> exchanges = new ArrayList<>();
    private int target;
    private boolean held;
    private boolean closed;

    /**
     * @param target the port of the server
     */
    Relay(int target) throws IOException {
        this.target = target;
        daemon("relay-accept", this::accept);
    }

    /** How a watch or a list was asked for, and what began to be answered. */
    static final class Exchange {
        private final HttpRequest request;
        private HttpResponse response;
        /** Of an answer that is compressed; a stream has member after member. */
        private EmbeddedChannel members;

        private boolean expired;
        private boolean ended;

        private Exchange(HttpRequest request) {
            this.request = request;
        }

        String uri() {
            return request.uri();
        }

        boolean isWatch() {
            return uri().contains("watch=true");
        }

        /** Whether it asks for what there is, and not only for what is to come. */
        boolean isBeginning() {
            return !isWatch() || uri().contains("sendInitialEvents=true");
        }

        /** A header of the request, or nothing. */
        String header(String name) {
            String value = request.headers().get(name);
            return value == null ? "" : value;
        }

        /** Nothing of the answer has come when it is 0. */
        synchronized int status() {
            return response == null ? 0 : response.status().code();
        }

        synchronized String contentType() {
            String type = response == null ? null : response.headers().get("Content-Type");
            return type == null ? "" : type;
        }

        /** Whether the client has been told that its version is too old. */
        synchronized boolean isExpired() {
            return expired;
        }

        private synchronized void answered(HttpResponse head) {
            response = head;
            if ("gzip".equals(head.headers().get("Content-Encoding"))) {
                members = new EmbeddedChannel(new JdkZlibDecoder(ZlibWrapper.GZIP, true, 0));
            }
        }

        private synchronized void ended() {
            ended = true;
        }

        private synchronized boolean isOpenStream() {
            return response != null && HttpUtil.isTransferEncodingChunked(response) && !ended;
        }

        private synchronized void heard(ByteBuf bytes) {
            if (members == null) {
                heard(bytes.toString(StandardCharsets.ISO_8859_1));
                return;
            }
            members.writeInbound(bytes.retainedDuplicate());
            for (ByteBuf next = members.readInbound(); next != null; next = members.readInbound()) {
                heard(next.toString(StandardCharsets.ISO_8859_1));
                next.release();
            }
        }

        private synchronized void heard(String bytes) {
            // Stands so in JSON as in protobuf.
            expired |= bytes.contains("too old resource version");
        }

        @Override
        public String toString() {
            return request.method() + " " + uri() + " Accept: " + header("Accept")
                    + (header("Upgrade").isEmpty() ? "" : " Upgrade: " + header("Upgrade")) + " -> " + status() + " "
                    + contentType() + (isExpired() ? ", expired" : "");
        }
    }

    /** Where the client finds it. */
    String url() {
        return "http://127.0.0.1:" + acceptor.getLocalPort();
    }

    /** All exchanges so far, in the order of the requests. */
    synchronized List<Exchange> exchanges() {
        return List.copyOf(exchanges);
    }

    /** Resets all connections. */
    void cut() {
        for (Connection each : open()) {
            each.reset();
        }
    }

    /** Closes all connections in the midst of what is being answered. */
    void hangUp() {
        for (Connection each : open()) {
            each.end();
        }
    }

    /** Ends all streams as a server does whose time is up, and lets new connections wait. No event may be on its way. */
    void hold() throws IOException {
        synchronized (this) {
            held = true;
        }
        for (Connection each : open()) {
            each.finish();
        }
    }

    /** Lets those that wait go on, to the server at this port. */
    synchronized void release(int newTarget) {
        target = newTarget;
        held = false;
        notifyAll();
    }

    private synchronized List<Connection> open() {
        return List.copyOf(connections);
    }

    private synchronized int awaitTarget() throws IOException, InterruptedException {
        while (held && !closed) {
            wait();
        }
        if (closed) {
            throw new IOException("closed");
        }
        return target;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = acceptor.accept();
                Connection connection = new Connection(client);
                synchronized (this) {
                    if (closed || connections.size() == MOST_CONNECTIONS) {
                        client.close();
                        continue;
                    }
                    connections.add(connection);
                }
                daemon("relay-up", connection::up);
            }
        } catch (IOException e) {
            // closed
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        cut();
    }

    /** One connection of the client: a thread for each way, each with the decoder of its way. */
    private final class Connection {
        private final Socket client;
        private final Socket server = new Socket();
        private final EmbeddedChannel requests = new EmbeddedChannel(new HttpRequestDecoder());
        private final EmbeddedChannel responses = new EmbeddedChannel(new HttpResponseDecoder());
        private final Queue<Exchange> unanswered = new ArrayDeque<>();
        private Exchange answering;
        private boolean upgraded;

        Connection(Socket client) {
            this.client = client;
        }

        void up() {
            try {
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), awaitTarget()), CONNECT_MILLIS);
                daemon("relay-down", this::down);
                byte[] buffer = new byte[BUFFER_BYTES];
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    asked(Unpooled.copiedBuffer(buffer, 0, count));
                    out.write(buffer, 0, count);
                }
            } catch (IOException e) {
                // cut by someone
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                end();
            }
        }

        private void down() {
            byte[] buffer = new byte[BUFFER_BYTES];
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    synchronized (this) {
                        answered(buffer, count);
                        out.write(buffer, 0, count);
                    }
                }
            } catch (IOException e) {
                // cut by someone
            } finally {
                end();
            }
        }

        private synchronized void asked(ByteBuf bytes) {
            if (upgraded) {
                bytes.release();
                return;
            }
            requests.writeInbound(bytes);
            for (Object next = requests.readInbound(); next != null; next = requests.readInbound()) {
                if (next instanceof HttpRequest request) {
                    Exchange exchange = new Exchange(request);
                    unanswered.add(exchange);
                    record(exchange);
                }
                ReferenceCountUtil.release(next);
            }
        }

        private void answered(byte[] buffer, int count) {
            if (upgraded) {
                answering.heard(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
                return;
            }
            responses.writeInbound(Unpooled.copiedBuffer(buffer, 0, count));
            for (Object next = responses.readInbound(); next != null; next = responses.readInbound()) {
                if (next instanceof ByteBuf frames) {
                    // What came together with the head of an upgrade.
                    answering.heard(frames.toString(StandardCharsets.ISO_8859_1));
                    frames.release();
                    continue;
                }
                if (((HttpObject) next).decoderResult().isFailure()) {
                    throw new IllegalStateException(
                            "no HTTP", ((HttpObject) next).decoderResult().cause());
                }
                if (next instanceof HttpResponse head) {
                    answering = unanswered.remove();
                    answering.answered(head);
                    upgraded = head.status().code() == 101;
                }
                if (next instanceof HttpContent content) {
                    answering.heard(content.content());
                }
                if (next instanceof LastHttpContent) {
                    answering.ended();
                }
                ReferenceCountUtil.release(next);
            }
        }

        void reset() {
            try {
                client.setSoLinger(true, 0);
            } catch (IOException e) {
                // closed already
            }
            end();
        }

        void finish() throws IOException {
            synchronized (this) {
                if (answering != null && answering.isOpenStream()) {
                    client.getOutputStream().write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            }
            end();
        }

        void end() {
            try (client;
                    server) {
                synchronized (Relay.this) {
                    connections.remove(this);
                }
            } catch (IOException e) {
                // as good as closed
            }
        }
    }

    private synchronized void record(Exchange exchange) {
        if (exchanges.size() == MOST_EXCHANGES) {
            throw new IllegalStateException("a client that asks without end: " + exchange);
        }
        exchanges.add(exchange);
    }
}
