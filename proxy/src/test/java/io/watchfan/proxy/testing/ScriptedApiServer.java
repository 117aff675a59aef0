package io.watchfan.proxy.testing;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An API server played by a test, on a real socket: discovery, lists in pages, watches and streaming lists of a few core
 * resources, and whatever a script puts in the place of its next answers. A thread per connection; state behind one lock.
 */
public final class ScriptedApiServer implements Closeable {
    /** What is asked for. */
    public enum Kind {
        DISCOVERY,
        LIST,
        STREAMING_LIST,
        WATCH,
        OTHER
    }

    /** A request. */
    public record Asked(
            Kind kind,
            String method,
            String target,
            String path,
            Map<String, String> query,
            Map<String, String> headers,
            long nanos) {}

    /** Answers in the server's place. */
    public interface Script {
        /** Whether the request has been answered; else the server goes on as it would have. */
        boolean answer(Asked asked, Reply reply) throws IOException;
    }

    /** Holds requests up until it is opened. */
    public static final class Gate {
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);

        public void open() {
            opened.countDown();
        }

        public void awaitRequest() throws InterruptedException {
            if (!arrived.await(15, TimeUnit.SECONDS)) {
                throw new AssertionError("no request came to the gate");
            }
        }
    }

    private static final Pattern COLLECTION =
            Pattern.compile("/api/v1/(namespaces/(?<namespace>[^/]+)/)?(?<resource>[^/]+)");
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final Map<String, String> KINDS =
            Map.of("pods", "Pod", "configmaps", "ConfigMap", "services", "Service");

    private static final int BACKLOG = 100;

    private final int port;
    private volatile ServerSocket listener;
    private final Map<String, Resource> resources = new LinkedHashMap<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile boolean bookmarkless;
    private volatile boolean protobuf;
    private volatile String release;
    private long version = 1000;

    private record Rule(Kind kind, String part, int[] left, Script script) {}

    /** A server of these core resources; of pods when none are named. */
    public ScriptedApiServer(String... plurals) throws IOException {
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        port = listener.getLocalPort();
        for (String plural : plurals.length == 0 ? new String[] {"pods"} : plurals) {
            resources.put(plural, new Resource(plural));
        }
        startAccepting();
    }

    private void startAccepting() {
        ServerSocket open = listener;
        start("accept", () -> accept(open));
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "scripted-api-server-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    public int port() {
        return port;
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    public Resource pods() {
        return resources.get("pods");
    }

    public Resource resource(String plural) {
        return resources.get(plural);
    }

    /** The version of the last write. */
    public synchronized long version() {
        return version;
    }

    /** The next version will be the one after this, as after a restored backup. */
    public synchronized void setVersion(long newVersion) {
        version = newVersion;
    }

    // ---- the script

    /** The next {@code times} requests of this kind are answered by {@code script}. Earlier rules go first. */
    public void next(Kind kind, int times, Script script) {
        nextOf(kind, "", times, script);
    }

    /** As {@link #next}, for those whose target holds {@code part}. */
    public void nextOf(Kind kind, String part, int times, Script script) {
        synchronized (rules) {
            rules.add(new Rule(kind, part, new int[] {times}, script));
        }
    }

    /** The next {@code times} requests of this kind get this Status. */
    public void refuse(Kind kind, int times, int code, String reason, String... headers) {
        next(kind, times, (request, reply) -> {
            reply.send(code, status(code, reason, "scripted " + code), headers);
            return true;
        });
    }

    /** The next request of this kind waits. */
    public Gate hold(Kind kind) {
        Gate gate = new Gate();
        next(kind, 1, (request, reply) -> {
            gate.arrived.countDown();
            try {
                gate.opened.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        });
        return gate;
    }

    /** Who asks for protobuf gets it from now on, as from kube-apiserver; before, all get JSON. */
    public void withProtobuf() {
        protobuf = true;
    }

    private boolean isProtobuf(Asked request) {
        return protobuf && request.headers.getOrDefault("accept", "").startsWith(PROTOBUF);
    }

    /** Says that it is of this release, such as {@code v1.37.0}. */
    public void ofRelease(String name) {
        release = name;
    }

    /** Streaming lists are refused as a server without them does (W-039). */
    public void withoutStreamingLists() {
        refuse(Kind.STREAMING_LIST, Integer.MAX_VALUE, 422, "Invalid");
    }

    /** Every request that came so far, of this kind. */
    public List<Asked> asked(Kind kind) {
        return asked.stream().filter(a -> a.kind() == kind).toList();
    }

    /** All connections are cut, whatever was under way on them. */
    public void cutAll() {
        connections.forEach(ScriptedApiServer::closeQuietly);
    }

    /** From now on connections are refused; those that there are stay. */
    public void leave() throws IOException {
        listener.close();
    }

    /** From now on connections are accepted again. */
    public void comeBack() throws IOException {
        ServerSocket again = new ServerSocket();
        again.setReuseAddress(true);
        again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        listener = again;
        startAccepting();
    }

    /** How many connections there are. */
    public int connections() {
        return connections.size();
    }

    /** A Status as one line. */
    public static String status(int code, String reason, String message) {
        return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\""
                + message + "\",\"reason\":\"" + reason + "\",\"code\":" + code + "}";
    }

    // ---- connections

    private void accept(ServerSocket open) {
        while (!open.isClosed()) {
            try {
                Socket socket = open.accept();
                socket.setTcpNoDelay(true);
                connections.add(socket);
                start("connection", () -> serve(socket));
            } catch (IOException e) {
                // Closed.
                return;
            }
        }
    }

    private void serve(Socket socket) {
        Reply reply = null;
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (true) {
                Asked request = read(in);
                if (request == null) {
                    break;
                }
                reply = new Reply(socket);
                asked.add(request);
                if (!scripted(request, reply)) {
                    answer(request, reply);
                }
            }
        } catch (IOException e) {
            // The other side has gone, or this one has cut it.
        } finally {
            connections.remove(socket);
            closeQuietly(socket);
            if (reply != null && reply.stream != null) {
                drop(reply.stream);
            }
        }
    }

    private synchronized void drop(Stream stream) {
        resources.values().forEach(resource -> resource.watches.remove(stream));
    }

    private boolean scripted(Asked request, Reply reply) throws IOException {
        List<Rule> due = new ArrayList<>();
        synchronized (rules) {
            for (Iterator<Rule> i = rules.iterator(); i.hasNext(); ) {
                Rule rule = i.next();
                if (rule.kind == request.kind && request.target.contains(rule.part)) {
                    due.add(rule);
                    if (--rule.left[0] == 0) {
                        i.remove();
                    }
                    break;
                }
            }
        }
        return !due.isEmpty() && due.get(0).script.answer(request, reply);
    }

    private Asked read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.append((char) next);
        }
        String[] lines = head.substring(0, head.length() - 4).split("\r\n", -1);
        String[] first = lines[0].split(" ", -1);
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.put(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip());
        }
        in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        int mark = first[1].indexOf('?');
        String path = mark < 0 ? first[1] : first[1].substring(0, mark);
        Map<String, String> query = new HashMap<>();
        for (String pair :
                mark < 0 ? new String[0] : first[1].substring(mark + 1).split("&")) {
            int equals = pair.indexOf('=');
            query.putIfAbsent(
                    equals < 0 ? pair : pair.substring(0, equals),
                    equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return new Asked(kind(path, query), first[0], first[1], path, query, headers, System.nanoTime());
    }

    private Kind kind(String path, Map<String, String> query) {
        if (path.equals("/api") || path.equals("/api/v1")) {
            return Kind.DISCOVERY;
        }
        if (resourceOf(path) == null) {
            return Kind.OTHER;
        }
        if (!"true".equals(query.get("watch")) && !"1".equals(query.get("watch"))) {
            return Kind.LIST;
        }
        return "true".equals(query.get("sendInitialEvents")) ? Kind.STREAMING_LIST : Kind.WATCH;
    }

    private Resource resourceOf(String path) {
        Matcher collection = COLLECTION.matcher(path);
        return collection.matches() ? resources.get(collection.group("resource")) : null;
    }

    private void answer(Asked request, Reply reply) throws IOException {
        switch (request.kind) {
            case DISCOVERY -> reply.send(200, discovery(request.path));
            case LIST -> resourceOf(request.path).list(request, reply);
            case STREAMING_LIST, WATCH -> resourceOf(request.path).watch(request, reply);
            default -> {
                if (request.path.equals("/version") && release != null) {
                    reply.send(200, "{\"gitVersion\":\"" + release + "\"}");
                    return;
                }
                reply.send(404, status(404, "NotFound", "the server could not find the requested resource"));
            }
        }
    }

    private String discovery(String path) {
        if (path.equals("/api")) {
            return "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}";
        }
        StringBuilder all = new StringBuilder("{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[");
        for (Resource resource : resources.values()) {
            all.append(all.charAt(all.length() - 1) == '[' ? "" : ",")
                    .append("{\"name\":\"")
                    .append(resource.plural)
                    .append("\",\"singularName\":\"\",\"namespaced\":true,\"kind\":\"")
                    .append(resource.kind)
                    .append("\",\"verbs\":[\"get\",\"list\",\"watch\"]}");
        }
        return all.append("]}").toString();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which is what was wanted.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cutAll();
    }

    /** How one request is answered. */
    public static final class Reply {
        private final Socket socket;
        private Stream stream;

        Reply(Socket socket) {
            this.socket = socket;
        }

        /** A whole answer. */
        public void send(int code, String body, String... headers) throws IOException {
            send(code, "application/json", body.getBytes(StandardCharsets.UTF_8), headers);
        }

        /** A whole answer of this type. */
        public void send(int code, String type, byte[] bytes, String... headers) throws IOException {
            StringBuilder head = new StringBuilder("HTTP/1.1 " + code + " Scripted\r\nContent-Type: " + type + "\r\n");
            for (String header : headers) {
                head.append(header).append("\r\n");
            }
            head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
            OutputStream out = socket.getOutputStream();
            out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(bytes);
            out.flush();
        }

        /** The head of a stream. */
        public Stream stream() throws IOException {
            stream = new Stream(socket, false);
            return stream;
        }

        Stream protobufStream() throws IOException {
            stream = new Stream(socket, true);
            return stream;
        }

        /** No answer but the end of the connection. */
        public void cut() {
            closeQuietly(socket);
        }
    }

    /** An answer in chunks. */
    public static final class Stream {
        private final Socket socket;
        private final OutputStream out;
        private final boolean protobuf;
        private boolean ended;

        Stream(Socket socket, boolean protobuf) throws IOException {
            this.socket = socket;
            this.protobuf = protobuf;
            this.out = socket.getOutputStream();
            String type = protobuf ? PROTOBUF + ";stream=watch" : "application/json";
            out.write(("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nTransfer-Encoding: chunked\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        }

        /** Bytes, as a chunk; whole lines, where the stream is protobuf. */
        public Stream write(String text) throws IOException {
            return write(bytes(text));
        }

        private byte[] bytes(String text) throws IOException {
            return protobuf ? Messages.frames(text) : text.getBytes(StandardCharsets.UTF_8);
        }

        /** Bytes, as a chunk. */
        public synchronized Stream write(byte[] bytes) throws IOException {
            byte[] head = (Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            byte[] chunk = new byte[head.length + bytes.length + 2];
            System.arraycopy(head, 0, chunk, 0, head.length);
            System.arraycopy(bytes, 0, chunk, head.length, bytes.length);
            chunk[chunk.length - 2] = '\r';
            chunk[chunk.length - 1] = '\n';
            out.write(chunk);
            out.flush();
            return this;
        }

        /** The clean end. */
        public synchronized void end() throws IOException {
            if (!ended) {
                ended = true;
                out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
        }

        /** The connection is cut. */
        public void cut() {
            closeQuietly(socket);
        }
    }

    /** One resource: objects, history and open watches. */
    public final class Resource {
        private final String plural;
        private final String kind;
        private final TreeMap<String, String> objects = new TreeMap<>();
        private final List<Change> history = new ArrayList<>();
        private final List<Stream> watches = new CopyOnWriteArrayList<>();
        private final Map<String, List<String>> pages = new HashMap<>();
        private long oldest;
        private boolean mute;
        private boolean wholeItems;
        private long bookmarkAtOnce;

        private record Change(long version, String line) {}

        Resource(String plural) {
            this.plural = plural;
            this.kind = KINDS.get(plural);
        }

        /** Lists have items with kind and apiVersion from now on, as some servers of aggregated APIs send them. */
        public void sendWholeItems() {
            synchronized (ScriptedApiServer.this) {
                wholeItems = true;
            }
        }

        /** From now on each watch begins with a bookmark at {@code at}. */
        public void bookmarkWatchesAtOnce(long at) {
            synchronized (ScriptedApiServer.this) {
                bookmarkAtOnce = at;
            }
        }

        /** Creates or changes the object at {@code NAMESPACE/NAME}, with these labels (names and values in turn). */
        public long put(String path, String... labels) {
            return putPadded(path, 0, labels);
        }

        /** As {@link #put}, with so many bytes more. */
        public long putPadded(String path, int pad, String... labels) {
            synchronized (ScriptedApiServer.this) {
                version++;
                String object = object(path, version, pad, labels);
                String before = objects.put(path, object);
                tell(before == null ? "ADDED" : "MODIFIED", object);
                return version;
            }
        }

        /** Changes many objects at once: one write to each watch for all of them. */
        public long putAll(List<String> paths, int pad) {
            synchronized (ScriptedApiServer.this) {
                StringBuilder lines = new StringBuilder();
                for (String path : paths) {
                    version++;
                    String object = object(path, version, pad);
                    String before = objects.put(path, object);
                    String line = line(before == null ? "ADDED" : "MODIFIED", object);
                    history.add(new Change(version, line));
                    lines.append(line);
                }
                send(lines.toString());
                return version;
            }
        }

        /** Deletes an object. */
        public long delete(String path) {
            synchronized (ScriptedApiServer.this) {
                version++;
                String last = objects.remove(path);
                tell(
                        "DELETED",
                        last.replaceFirst("\"resourceVersion\":\"\\d+\"", "\"resourceVersion\":\"" + version + "\""));
                return version;
            }
        }

        /** Nothing of it: it is gone without a word, as after a restored backup. */
        public void forget(String path) {
            synchronized (ScriptedApiServer.this) {
                objects.remove(path);
            }
        }

        private void tell(String type, String object) {
            String line = line(type, object);
            history.add(new Change(version, line));
            send(line);
        }

        private static String line(String type, String object) {
            return "{\"type\":\"" + type + "\",\"object\":" + object + "}\n";
        }

        /** Sends these bytes on every open watch, whatever they are. */
        public void send(String text) {
            synchronized (ScriptedApiServer.this) {
                if (mute) {
                    return;
                }
                watches.removeIf(watch -> {
                    try {
                        watch.write(text);
                        return false;
                    } catch (IOException e) {
                        return true;
                    }
                });
            }
        }

        /** Sends a bookmark at the present version; returns the version. */
        public long bookmark() {
            synchronized (ScriptedApiServer.this) {
                bookmark(version);
                return version;
            }
        }

        /** Sends a bookmark at {@code at}. */
        public void bookmark(long at) {
            synchronized (ScriptedApiServer.this) {
                send(line("BOOKMARK", bookmarkObject(false, at)));
            }
        }

        /** From now on changes are not told, on this and every later watch; what was missed is in the history. */
        public void mute(boolean on) {
            synchronized (ScriptedApiServer.this) {
                mute = on;
            }
        }

        /** The history up to now is gone. */
        public void compact() {
            synchronized (ScriptedApiServer.this) {
                history.clear();
                oldest = version;
            }
        }

        /** Ends all watches cleanly. */
        public void endWatches() throws IOException {
            synchronized (ScriptedApiServer.this) {
                for (Stream watch : watches) {
                    watch.end();
                }
                watches.clear();
            }
        }

        /** Cuts all watches in the midst of these events. */
        public void cutWatchesWithin(String lines) throws IOException {
            synchronized (ScriptedApiServer.this) {
                for (Stream watch : watches) {
                    byte[] bytes = watch.bytes(lines);
                    watch.write(Arrays.copyOf(bytes, bytes.length / 2)).cut();
                }
                watches.clear();
            }
        }

        /** Cuts all watches after these bytes. */
        public void cutWatches(String after) throws IOException {
            synchronized (ScriptedApiServer.this) {
                for (Stream watch : watches) {
                    if (!after.isEmpty()) {
                        watch.write(after);
                    }
                    watch.cut();
                }
                watches.clear();
            }
        }

        /** How many watches are open. */
        public int watches() {
            return watches.size();
        }

        /** The object as it is now. */
        public String get(String path) {
            synchronized (ScriptedApiServer.this) {
                return objects.get(path);
            }
        }

        /** An object as the API server writes it. */
        public String object(String path, long at, int pad, String... labels) {
            int slash = path.indexOf('/');
            StringBuilder text = new StringBuilder("{\"kind\":\"" + kind
                    + "\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\""
                    + path.substring(slash + 1) + "\",\"namespace\":\"" + path.substring(0, slash) + "\",\"uid\":\"u-"
                    + path + "\",\"resourceVersion\":\"" + at + "\"");
            for (int i = 0; i < labels.length; i += 2) {
                text.append(i == 0 ? ",\"labels\":{" : ",")
                        .append('"')
                        .append(labels[i])
                        .append("\":\"")
                        .append(labels[i + 1])
                        .append('"');
            }
            text.append(labels.length > 0 ? "}" : "").append("},\"spec\":{\"pad\":\"");
            return text.append("x".repeat(pad)).append("\"},\"status\":{}}").toString();
        }

        private String bookmarkObject(boolean marked, long at) {
            return "{\"kind\":\"" + kind + "\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + at
                    + "\""
                    + (marked ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "")
                    + "},\"spec\":{\"containers\":null},\"status\":{}}";
        }

        private void list(Asked request, Reply reply) throws IOException {
            int limit = Integer.parseInt(request.query.getOrDefault("limit", "0"));
            String token = request.query.get("continue");
            String body;
            synchronized (ScriptedApiServer.this) {
                long at = version;
                Matcher collection = COLLECTION.matcher(request.path);
                String namespace = collection.matches() ? collection.group("namespace") : null;
                List<String> items = new ArrayList<>();
                objects.forEach((path, object) -> {
                    if (namespace == null || path.startsWith(namespace + "/")) {
                        items.add(object);
                    }
                });
                if (token != null) {
                    List<String> rest = pages.remove(token);
                    if (rest == null) {
                        reply.send(410, status(410, "Expired", "The provided continue parameter is too old"));
                        return;
                    }
                    at = Long.parseLong(token.substring(0, token.indexOf('-')));
                    items.clear();
                    items.addAll(rest);
                }
                String next = "";
                if (limit > 0 && items.size() > limit) {
                    next = at + "-" + pages.size() + "-" + System.nanoTime();
                    List<String> further = items.subList(limit, items.size());
                    pages.put(next, List.copyOf(further));
                    further.clear();
                }
                String prefix = "{\"kind\":\"" + kind + "\",\"apiVersion\":\"v1\",";
                List<String> stripped = items.stream()
                        .map(item -> wholeItems ? item : "{" + item.substring(prefix.length()))
                        .toList();
                body = "{\"kind\":\"" + kind + "List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + at
                        + "\"" + (next.isEmpty() ? "" : ",\"continue\":\"" + next + "\"") + "},\"items\":["
                        + String.join(",", stripped) + "]}\n";
            }
            if (isProtobuf(request)) {
                reply.send(200, PROTOBUF, Messages.list(body));
            } else {
                reply.send(200, body);
            }
        }

        private void watch(Asked request, Reply reply) throws IOException {
            synchronized (ScriptedApiServer.this) {
                Stream stream = isProtobuf(request) ? reply.protobufStream() : reply.stream();
                if (request.kind == Kind.STREAMING_LIST) {
                    StringBuilder all = new StringBuilder();
                    for (String object : objects.values()) {
                        all.append(line("ADDED", object));
                    }
                    if (!bookmarkless) {
                        all.append(line("BOOKMARK", bookmarkObject(true, version)));
                    }
                    stream.write(all.toString());
                } else {
                    long from = Long.parseLong(request.query.getOrDefault("resourceVersion", "0"));
                    if (from < oldest) {
                        stream.write(line("ERROR", status(410, "Expired", "too old resource version: " + from)));
                        stream.end();
                        return;
                    }
                    for (Change change : history) {
                        if (change.version > from && !mute) {
                            stream.write(change.line);
                        }
                    }
                    if (bookmarkAtOnce > 0) {
                        stream.write(line("BOOKMARK", bookmarkObject(false, bookmarkAtOnce)));
                    }
                }
                watches.add(stream);
            }
        }
    }

    /** Streaming lists tell no end, as those of a server that does not know of them. */
    public void withoutEndOfInitialEvents() {
        bookmarkless = true;
    }
}
