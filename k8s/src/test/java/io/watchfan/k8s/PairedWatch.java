package io.watchfan.k8s;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One watch, opened at both servers: what one tells the other must tell. */
final class PairedWatch implements AutoCloseable {
    private final Subject subject;
    private final Ask ask;
    private final int openedAt;
    private final Recording atDirect;
    private final Recording atProxy;
    private final int comparedBefore;

    private PairedWatch(
            Subject subject, Ask ask, int openedAt, Recording atDirect, Recording atProxy, int comparedBefore) {
        this.subject = subject;
        this.ask = ask;
        this.openedAt = openedAt;
        this.atDirect = atDirect;
        this.atProxy = atProxy;
        this.comparedBefore = comparedBefore;
    }

    /** Opens it at both, and returns when both have accepted it. */
    static PairedWatch open(World world, Subject subject, Ask ask, int step) throws IOException, InterruptedException {
        Recording atDirect = begun(world.direct(), ask);
        Recording atProxy = begun(world.proxied(), ask);
        return new PairedWatch(subject, ask, step, atDirect, atProxy, 0);
    }

    private static Recording begun(Api api, Ask ask) throws IOException, InterruptedException {
        try {
            Recording recording = api.record(ask.method(), ask.target(), ask.headers())
                    .get(Watching.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (recording.status() != 200) {
                recording.awaitEnd(Watching.PATIENCE);
                throw new AssertionError(
                        "refused: " + ask + "\n" + new String(recording.body(), StandardCharsets.UTF_8));
            }
            return recording;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(ask.toString(), e);
        }
    }

    Subject subject() {
        return subject;
    }

    int openedAt() {
        return openedAt;
    }

    private List<String> atDirect() {
        return Frames.comparable(Frames.of(atDirect.header("Content-Type"), atDirect.body()));
    }

    private List<String> atProxy() {
        List<String> all = Frames.comparable(Frames.of(atProxy.header("Content-Type"), atProxy.body()));
        return all.subList(comparedBefore, all.size());
    }

    /** Waits until both have told what there is, as both say by a bookmark. */
    void awaitInitialEvents() throws InterruptedException {
        for (Recording recording : List.of(atDirect, atProxy)) {
            boolean ended = recording.await(
                    Watching.PATIENCE,
                    () -> recording.isOver()
                            || Frames.of(recording.header("Content-Type"), recording.body()).stream()
                                    .anyMatch(Frames::endsInitialEvents));
            if (!ended) {
                throw new AssertionError(this + ": the initial events do not end");
            }
        }
    }

    /** How much has been told. */
    int events() {
        return atProxy().size();
    }

    /** Whether neither server has ended it. */
    boolean isOpen() {
        return !atDirect.isOver() && !atProxy.isOver();
    }

    /** Whether the API server has refused to begin so long ago, and the proxy has not. */
    boolean isTooOldForOne() {
        List<String> wanted = atDirect();
        List<String> got = atProxy();
        return wanted.size() == 1
                && Comparison.isTooOld(wanted.get(0))
                && !(got.size() == 1 && Comparison.isTooOld(got.get(0)));
    }

    /** The path of an object that is there for who watches, as the API server tells; null without any. */
    String member() {
        Map<String, String> members = new LinkedHashMap<>();
        for (String frame : atDirect()) {
            if (!frame.startsWith("{") || Frames.is("BOOKMARK", frame) || Frames.is("ERROR", frame)) {
                continue;
            }
            var metadata = Json.read(frame.getBytes(StandardCharsets.ISO_8859_1))
                    .path("object")
                    .path("metadata");
            String path = subject.in(metadata.path("namespace").asText()) + "/"
                    + metadata.path("name").asText();
            if (Frames.is("DELETED", frame)) {
                members.remove(path);
            } else {
                members.put(path, path);
            }
        }
        Set<String> sorted = new TreeSet<>(members.keySet());
        return sorted.isEmpty() ? null : sorted.iterator().next();
    }

    /** The beginnings of what both tell must be the same; says where they are not, else null. */
    String differenceSoFar() {
        List<String> wanted = atDirect();
        List<String> got = atProxy();
        for (int at = 0; at < Math.min(wanted.size(), got.size()); at++) {
            if (!wanted.get(at).equals(got.get(at))) {
                return this + ": event " + at + ": " + Comparison.firstDifference(wanted.get(at), got.get(at))
                        + "\n  before: " + wanted.subList(Math.max(0, at - 3), at);
            }
        }
        return null;
    }

    /** Waits until the API server has told this, unless it is null, and the proxy just as much; says what is amiss, or null. */
    String difference(String mark, Duration most) throws InterruptedException {
        if (mark != null && !atDirect.await(most, () -> contains(atDirect(), mark))) {
            return this + ": the API server does not tell " + mark;
        }
        while (true) {
            List<String> wanted = atDirect();
            List<String> got = atProxy();
            String difference = differenceSoFar();
            if (difference != null || wanted.size() == got.size()) {
                return difference;
            }
            // Either the proxy is late, or what the API server has yet to tell of the last changes is here already.
            boolean missing = wanted.size() > got.size();
            boolean comes = missing
                    ? atProxy.await(most, () -> atProxy().size() > got.size())
                    : atDirect.await(most, () -> atDirect().size() > wanted.size());
            if (!comes) {
                List<String> longer = missing ? wanted : got;
                int common = Math.min(wanted.size(), got.size());
                return this + ": " + wanted.size() + " events and " + got.size() + "; "
                        + (missing ? "missing" : "too many") + " at the proxy"
                        + (atProxy.isOver() ? ", which has ended it" : "") + ": "
                        + longer.subList(common, Math.min(common + 3, longer.size()));
            }
        }
    }

    private static boolean contains(List<String> frames, String mark) {
        for (int at = frames.size() - 1; at >= 0; at--) {
            if (frames.get(at).contains(mark)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The same watch from this version on, all before having been compared, after the resource's definition has changed. The
     * API server ends its watches then, sooner or later. The proxy ends those whose objects read otherwise now, with 410, as
     * what it remembers of them is not true any more; others go on.
     */
    PairedWatch afterNewDefinition(World world, long version, int step) throws IOException, InterruptedException {
        List<Ask.Parameter> query = new ArrayList<>();
        query.add(new Ask.Parameter("resourceVersion", Long.toString(version)));
        for (Ask.Parameter parameter : ask.query()) {
            if (!Set.of("resourceVersion", "sendInitialEvents", "resourceVersionMatch")
                    .contains(parameter.name())) {
                query.add(parameter);
            }
        }
        Ask from = new Ask(ask.method(), ask.path(), query, ask.headers());
        if (ask.accept().contains("protobuf")) {
            // Of a custom resource there is only metadata in protobuf, which its definition does not change.
            atDirect.close();
            return new PairedWatch(
                    subject,
                    from,
                    step,
                    begun(world.direct(), from),
                    atProxy,
                    comparedBefore + atProxy().size());
        }
        if (!atProxy.awaitEnd(Watching.PATIENCE)) {
            throw new AssertionError(this + ": still open, though its objects read otherwise");
        }
        List<String> told = atProxy();
        String last = told.isEmpty() ? "" : told.get(told.size() - 1);
        if (!Frames.is("ERROR", last) || !last.contains("\"code\":410")) {
            throw new AssertionError(this + ": ended with " + last);
        }
        LeftOpen.CHANGE_OF_A_DEFINITION.met();
        close();
        return open(world, subject, from, step);
    }

    /** Waits for the end of both; tells whether it has come. */
    boolean awaitEnds(Duration most) throws InterruptedException {
        return atDirect.awaitEnd(most) && atProxy.awaitEnd(most);
    }

    @Override
    public void close() {
        atDirect.close();
        atProxy.close();
    }

    @Override
    public String toString() {
        return "watch " + ask + ", opened at step " + openedAt;
    }
}
