package io.watchfan.proxy.testing;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A client on a socket of its own, which reads when it is told to and not before, and checks the framing as it goes. */
public final class TestClient implements Closeable {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final Pattern EVENT = Pattern.compile("\\{\"type\":\"([A-Z]+)\",\"object\":(\\{.*\\})\\}");
    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"(\\d+)\"");
    private static final Pattern NAME = Pattern.compile("\"name\":\"([^\"]*)\"");
    private static final Pattern CODE = Pattern.compile("\"code\":(\\d+)");

    private final Socket socket;
    private final Socket wire;
    private final InputStream in;
    private final byte[] buffer = new byte[8 << 10];
    private int at;
    private int end;
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
    private int chunkLeft;
    private GzipMembers members;
    private byte[] decoded = {};
    private int decodedAt;
    private boolean bodyEnded;

    /** One line of a watch. */
    public record Event(String type, String name, long version, int code, String line) {
        public static Event of(String line) {
            Matcher event = EVENT.matcher(line);
            if (!event.matches()) {
                throw new AssertionError("not an event: " + line);
            }
            Matcher version = VERSION.matcher(line);
            Matcher name = NAME.matcher(line);
            Matcher code = CODE.matcher(line);
            boolean error = event.group(1).equals("ERROR");
            return new Event(
                    event.group(1),
                    name.find() ? name.group(1) : "",
                    version.find() ? Long.parseLong(version.group(1)) : 0,
                    error && code.find() ? Integer.parseInt(code.group(1)) : 0,
                    line);
        }

        /** Type, name and version. */
        public String brief() {
            return type + (name.isEmpty() ? "" : " " + name) + (code > 0 ? " " + code : " " + version);
        }
    }

    /** Head of an answer. */
    public record Head(int code, List<String> headers) {
        public String value(String name) {
            String prefix = name.toLowerCase(Locale.ROOT) + ":";
            return headers.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
                    .map(line -> line.substring(prefix.length()).strip())
                    .findFirst()
                    .orElse(null);
        }
    }

    private TestClient(Socket socket) throws IOException {
        this(socket, socket);
    }

    private TestClient(Socket socket, Socket wire) throws IOException {
        this.socket = socket;
        this.wire = wire;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        this.in = socket.getInputStream();
    }

    public static TestClient connect(int port) throws IOException {
        return new TestClient(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** One whose kernel keeps little of what it does not read. */
    public static TestClient connectSmall(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return new TestClient(socket);
    }

    /** One over TLS that trusts whomever it meets. */
    public static TestClient connectTls(int port) throws IOException {
        Socket plain = new Socket();
        plain.setReceiveBufferSize(4096);
        plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", port, true);
            socket.startHandshake();
            return new TestClient(socket, plain);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Waits for what is to be read for so long. */
    public TestClient waitingFor(Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        return this;
    }

    public TestClient get(String target, String... headers) throws IOException {
        StringBuilder text = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return send(text.append("\r\n").toString());
    }

    public TestClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public TestClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    public Head head() throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            text.append((char) readByte());
        }
        List<String> lines = Arrays.asList(text.substring(0, text.length() - 4).split("\r\n"));
        bodyEnded = false;
        chunkLeft = 0;
        partial.reset();
        return new Head(Integer.parseInt(lines.get(0).split(" ", -1)[1]), lines.subList(1, lines.size()));
    }

    /** The head of a watch that was accepted. */
    public TestClient accepted() throws IOException {
        Head head = head();
        if (head.code() != 200 && head.code() != 101) {
            throw new AssertionError("refused: " + head + " " + body(head));
        }
        return this;
    }

    /** A whole body. */
    public String body(Head head) throws IOException {
        if (head.value("Content-Length") != null) {
            return new String(bytes(Integer.parseInt(head.value("Content-Length"))), StandardCharsets.UTF_8);
        }
        StringBuilder all = new StringBuilder();
        for (String line = line(); line != null; line = line()) {
            all.append(line).append('\n');
        }
        return all.toString();
    }

    /** The next line of a chunked body without its line feed; null after the last chunk. */
    public String line() throws IOException {
        for (int b = bodyByte(); b >= 0; b = bodyByte()) {
            if (b == '\n') {
                String line = partial.toString(StandardCharsets.UTF_8);
                partial.reset();
                return line;
            }
            partial.write(b);
        }
        if (partial.size() > 0) {
            throw new AssertionError("the body ended within a line: " + partial);
        }
        return null;
    }

    /** The next event of a chunked body in protobuf; null after the last chunk. */
    public Messages.Event frame() throws IOException {
        byte[] length = bodyBytes(4);
        return length == null
                ? null
                : Messages.event(bodyBytes(java.nio.ByteBuffer.wrap(length).getInt()));
    }

    /** So many events in protobuf, in brief. */
    public List<String> frames(int count) throws IOException {
        List<String> frames = new ArrayList<>();
        while (frames.size() < count) {
            frames.add(frame().brief());
        }
        return frames;
    }

    /** The next bytes of a chunked body; null when it has ended. */
    public byte[] bodyBytes(int count) throws IOException {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            int next = bodyByte();
            if (next < 0) {
                if (i > 0) {
                    throw new AssertionError("the body ended within " + count + " bytes");
                }
                return null;
            }
            bytes[i] = (byte) next;
        }
        return bytes;
    }

    /**
     * The head of an answer that is accepted, and compressed. From here on lines, frames and the like are what is in the gzip
     * members of its body.
     */
    public TestClient unzipping() throws IOException {
        Head head = head();
        List<String> said = Stream.of("Content-Encoding", "Vary", "Transfer-Encoding", "Content-Length")
                .map(name -> name + ": " + head.value(name))
                .toList();
        List<String> right = List.of(
                "Content-Encoding: gzip",
                "Vary: Accept-Encoding",
                "Transfer-Encoding: chunked",
                "Content-Length: null");
        if (head.code() != 200 || !said.equals(right)) {
            throw new AssertionError("not compressed: " + head);
        }
        members = new GzipMembers();
        return this;
    }

    /** The next byte of a chunked body; -1 when it has ended. */
    private int bodyByte() throws IOException {
        if (members == null) {
            return chunkByte();
        }
        while (decodedAt == decoded.length) {
            int next = chunkByte();
            if (next < 0) {
                if (!members.isBetween()) {
                    throw new AssertionError("the body ended within a member");
                }
                return -1;
            }
            decoded = members.feed(next);
            decodedAt = 0;
        }
        return decoded[decodedAt++] & 0xff;
    }

    private int chunkByte() throws IOException {
        if (bodyEnded || chunkLeft == 0 && !nextChunk()) {
            return -1;
        }
        int next = readByte();
        chunkLeft--;
        if (chunkLeft == 0) {
            expect("\r\n");
        }
        return next;
    }

    /** What is left of a chunked body, through its end. */
    public byte[] wholeBody() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int next = bodyByte(); next >= 0; next = bodyByte()) {
            all.write(next);
        }
        return all.toByteArray();
    }

    private boolean nextChunk() throws IOException {
        StringBuilder size = new StringBuilder();
        while (size.indexOf("\r\n") < 0) {
            size.append((char) readByte());
        }
        chunkLeft = Integer.parseInt(size.substring(0, size.length() - 2), 16);
        if (chunkLeft == 0) {
            expect("\r\n");
            bodyEnded = true;
        }
        return chunkLeft > 0;
    }

    private void expect(String text) throws IOException {
        for (int i = 0; i < text.length(); i++) {
            int b = readByte();
            if (b != text.charAt(i)) {
                throw new AssertionError("broken framing: " + b + " where " + (int) text.charAt(i) + " belongs");
            }
        }
    }

    public Event event() throws IOException {
        String line = line();
        if (line == null) {
            throw new EOFException("the watch ended");
        }
        return Event.of(line);
    }

    public List<Event> events(int count) throws IOException {
        List<Event> events = new ArrayList<>();
        while (events.size() < count) {
            events.add(event());
        }
        return events;
    }

    /** All events up to one of {@code version}, that one included. */
    public List<Event> eventsThrough(long version) throws IOException {
        List<Event> events = new ArrayList<>();
        do {
            events.add(event());
        } while (events.get(events.size() - 1).version() != version);
        return events;
    }

    /** All events up to the clean end of the body. */
    public List<Event> untilEnd() throws IOException {
        List<Event> events = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            events.add(Event.of(line));
        }
        return events;
    }

    public byte[] bytes(int count) throws IOException {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) readByte();
        }
        return bytes;
    }

    /** The payload of the next WebSocket frame from the server; its first byte tells the kind. */
    public record Message(int opcode, boolean last, byte[] payload) {
        public String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    public Message message() throws IOException {
        int first = readByte();
        long length = readByte();
        if (length > 127) {
            throw new AssertionError("a server's frame is not masked");
        }
        int extended = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (extended > 0) {
            length = 0;
            for (int i = 0; i < extended; i++) {
                length = length << 8 | readByte();
            }
        }
        return new Message(first & 0x0f, (first & 0x80) != 0, bytes((int) length));
    }

    /** Whether the connection ends, one way or the other, after whatever is still to be read; how many bytes those were. */
    public int drain() throws IOException {
        int drained = end - at;
        at = end;
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                drained += read;
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the connection did not end; " + drained + " bytes", e);
        } catch (IOException e) {
            // A reset is an end too.
        }
        return drained;
    }

    private int readByte() throws IOException {
        if (at == end) {
            end = Math.max(0, in.read(buffer));
            at = 0;
            if (end == 0) {
                throw new EOFException("the connection ended");
            }
        }
        return buffer[at++] & 0xff;
    }

    /** The connection goes with a reset, as when the process is killed. */
    public void reset() throws IOException {
        // Below TLS, which would say goodbye first.
        wire.setSoLinger(true, 0);
        wire.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
