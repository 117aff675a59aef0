package io.watchfan.proxy.passthrough;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One end of a connection, byte by byte, so that nothing between test and proxy interprets HTTP. */
final class Wire implements Closeable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;

    Wire(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static Wire connect(int port) throws IOException {
        return new Wire(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    Wire send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Wire send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Request or status line and headers, up to the empty line. */
    Head head() throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            text.append((char) readByte());
        }
        return new Head(Arrays.asList(text.substring(0, text.length() - 4).split("\r\n")));
    }

    String line() throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n") < 0) {
            text.append((char) readByte());
        }
        return text.substring(0, text.length() - 2);
    }

    byte[] bytes(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("after " + bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    String text(int count) throws IOException {
        return new String(bytes(count), StandardCharsets.ISO_8859_1);
    }

    /** The next chunk of a chunked body; empty for the last. */
    String chunk() throws IOException {
        String data = text(Integer.parseInt(line(), 16));
        line();
        return data;
    }

    /** All chunks up to the last. */
    byte[] chunks() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            all.write(bytes(size));
            line();
        }
        line();
        return all.toByteArray();
    }

    /** Reads up to the end of the connection, however it ends. */
    byte[] rest() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the connection did not end", e);
        } catch (IOException e) {
            // A reset is an end too.
        }
        return all.toByteArray();
    }

    private int readByte() throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException("the connection ended");
        }
        return next;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** A request's or answer's head as it came. */
    record Head(List<String> lines) {
        String first() {
            return lines.get(0);
        }

        /** The header lines, as spelled. */
        List<String> headers() {
            return lines.subList(1, lines.size());
        }

        /** The only value of this header; null if there is none. */
        String value(String name) {
            List<String> values = values(name);
            if (values.size() > 1) {
                throw new AssertionError(name + " is there several times: " + values);
            }
            return values.isEmpty() ? null : values.get(0);
        }

        List<String> values(String name) {
            String prefix = name.toLowerCase(Locale.ROOT) + ":";
            return headers().stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
                    .map(line -> line.substring(prefix.length()).strip())
                    .toList();
        }
    }
}
