package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.k8s.StreamChecks.Stream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Many watches of pods at once: of all scopes in turn, half of them from a version, half with their initial state. */
final class PodWatches implements AutoCloseable {
    private static final int AT_ONCE = 50;

    private final List<Open> open = new ArrayList<>();

    private record Open(PodScope scope, long from, Watching watching) {}

    private PodWatches() {}

    static PodWatches open(Api proxy, List<PodScope> scopes, long start, int count)
            throws IOException, InterruptedException {
        PodWatches watches = new PodWatches();
        try {
            for (int begun = 0; begun < count; begun += AT_ONCE) {
                watches.openSome(proxy, scopes, start, begun, Math.min(count, begun + AT_ONCE));
            }
            return watches;
        } catch (IOException | InterruptedException e) {
            watches.close();
            throw e;
        }
    }

    private void openSome(Api proxy, List<PodScope> scopes, long start, int first, int end)
            throws IOException, InterruptedException {
        List<CompletableFuture<Watching>> some = new ArrayList<>();
        for (int number = first; number < end; number++) {
            PodScope scope = scopes.get(number % scopes.size());
            some.add(proxy.watchSoon(isInitial(number, scopes) ? scope.watchInitially() : scope.watchFrom(start)));
        }
        for (int number = first; number < end; number++) {
            try {
                Watching watching = some.get(number - first).get(Watching.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                open.add(
                        new Open(scopes.get(number % scopes.size()), isInitial(number, scopes) ? -1 : start, watching));
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("watch " + number, e);
            }
        }
    }

    private static boolean isInitial(int number, List<PodScope> scopes) {
        return number / scopes.size() % 2 == 1;
    }

    /** Waits until those that begin with their initial state have it. */
    void awaitInitial() throws InterruptedException {
        for (Open each : open) {
            if (each.from() < 0) {
                each.watching().untilLine("k8s.io/initial-events-end");
            }
        }
    }

    /** Waits until all have been told a change that is in all scopes. */
    void await(long version) throws InterruptedException {
        for (Open each : open) {
            each.watching().untilLine("\"resourceVersion\":\"" + version + "\"");
        }
    }

    /** None of them has ended. */
    void assertOpen() {
        assertThat(open).allMatch(each -> each.watching().isOpen(), "has not ended");
    }

    /** What each has been told. */
    List<Stream> streams() {
        List<Stream> streams = new ArrayList<>();
        for (Open each : open) {
            streams.add(new Stream(
                    "watch " + streams.size(),
                    each.scope(),
                    each.from(),
                    WatchLine.all(each.watching().lines())));
        }
        return streams;
    }

    @Override
    public void close() {
        open.forEach(each -> each.watching().close());
    }
}
