package io.watchfan.k8s;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;

/**
 * A way to the API server that can be cut. It passes bytes on as they are, so TLS and certificates are the API server's own.
 * While it is cut it holds its port, so that nobody else gets it, and resets whoever connects.
 */
final class TcpRelay implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 1000;

    private final String host;
    private final int port;
    private final ServerSocket server;
    private final Set<Socket> open = new HashSet<>();
    private boolean cut;
    private boolean closed;

    private TcpRelay(URI to) throws IOException {
        host = to.getHost();
        port = to.getPort();
        server = new ServerSocket(0, MOST_CONNECTIONS, InetAddress.getLoopbackAddress());
        daemon("relay", this::accept);
    }

    /** A relay to the API server. */
    static TcpRelay to(ControlPlane cluster) throws IOException {
        return new TcpRelay(URI.create(cluster.server()));
    }

    /** The API server's URL, by way of this relay. */
    String url() {
        return "https://127.0.0.1:" + server.getLocalPort();
    }

    /** Resets all connections, and every new one. */
    synchronized void cut() {
        cut = true;
        open.forEach(TcpRelay::reset);
        open.clear();
    }

    /** Lets connections through again. */
    synchronized void restore() {
        cut = false;
    }

    private void accept() {
        while (true) {
            try {
                Socket client = server.accept();
                Socket upstream = admitted(client) ? connected(client) : null;
                if (upstream != null) {
                    daemon("relay-up", () -> pass(client, upstream));
                    daemon("relay-down", () -> pass(upstream, client));
                }
            } catch (IOException e) {
                if (isClosed()) {
                    return;
                }
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized boolean admitted(Socket socket) {
        if (cut || closed || open.size() >= MOST_CONNECTIONS) {
            reset(socket);
            return false;
        }
        open.add(socket);
        return true;
    }

    /** The other half of a connection; null when there is none, and then the client is reset. */
    private Socket connected(Socket client) {
        try {
            Socket upstream = new Socket(host, port);
            if (admitted(upstream)) {
                return upstream;
            }
        } catch (IOException e) {
            // The API server is away, and the client is told as it would be without a relay.
        }
        forget(client);
        return null;
    }

    private void pass(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
            to.shutdownOutput();
        } catch (IOException e) {
            // Cut by this relay or by one end, which the other end is to see at once.
            forget(from);
            forget(to);
        }
    }

    private synchronized void forget(Socket socket) {
        open.remove(socket);
        reset(socket);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It was closed.
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
        }
        cut();
        server.close();
    }
}
