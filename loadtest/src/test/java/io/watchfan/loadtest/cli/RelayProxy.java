package io.watchfan.loadtest.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A stand-in for the proxy: takes the same options and passes every connection through to the upstream, byte by byte. What it
 * passes on counts as framed, and it is said to hold a kilobyte.
 */
public final class RelayProxy {
    private final URI upstream;
    private final AtomicLong relayed = new AtomicLong();

    private RelayProxy(URI upstream) {
        this.upstream = upstream;
    }

    public static void main(String[] args) throws IOException {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i], args[i + 1]);
        }
        RelayProxy relay = new RelayProxy(URI.create(options.get("--upstream")));
        ServerSocket admin = listen(options.get("--admin"));
        start(() -> relay.serve(admin, relay::answerAdmin));
        relay.serve(listen(options.get("--listen")), relay::relay);
    }

    private static ServerSocket listen(String address) throws IOException {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        return new ServerSocket(port, 1000, InetAddress.getLoopbackAddress());
    }

    private interface Handler {
        void handle(Socket socket) throws IOException;
    }

    private void serve(ServerSocket listener, Handler handler) {
        while (true) {
            try {
                Socket socket = listener.accept();
                start(() -> {
                    try {
                        handler.handle(socket);
                    } catch (IOException e) {
                        close(socket);
                    }
                });
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Ready, and its metrics, whatever is asked. */
    private void answerAdmin(Socket socket) throws IOException {
        String body = "watchfan_cache_bytes 1000\nwatchfan_bytes_framed_total " + relayed.get() + "\n";
        try (socket) {
            socket.getInputStream().read(new byte[4096]);
            socket.getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n\r\n"
                                    + body)
                            .getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void relay(Socket client) throws IOException {
        Socket server = new Socket(upstream.getHost(), upstream.getPort());
        start(() -> copy(client, server, new AtomicLong()));
        copy(server, client, relayed);
    }

    private static void copy(Socket from, Socket to, AtomicLong bytes) {
        byte[] buffer = new byte[16384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                out.write(buffer, 0, count);
                bytes.addAndGet(count);
            }
        } catch (IOException e) {
            // Either side is gone: so is the other.
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed as far as we can.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }
}
