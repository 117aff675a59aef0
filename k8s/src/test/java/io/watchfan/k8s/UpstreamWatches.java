package io.watchfan.k8s;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** The watches that the API server has open, by its own metric. */
final class UpstreamWatches {
    private UpstreamWatches() {}

    /** Those of a resource that are open now, the API server's own among them. */
    static int open(Api direct, String resource) throws IOException, InterruptedException {
        Matcher metrics = Pattern.compile(
                        "^apiserver_longrunning_requests\\{[^}]*resource=\"" + resource
                                + "\"[^}]*verb=\"WATCH\"[^}]*} (\\d+)",
                        Pattern.MULTILINE)
                .matcher(direct.get("/metrics").expect(200).text());
        int open = 0;
        while (metrics.find()) {
            open += Integer.parseInt(metrics.group(1));
        }
        return open;
    }

    /** Those of the tests before are gone soon, but not at once. */
    static int onceSettled(Api direct, String resource) throws IOException, InterruptedException {
        AtomicInteger open = new AtomicInteger(open(direct, resource));
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .during(Duration.ofSeconds(1))
                .until(() -> {
                    int now = open(direct, resource);
                    return open.getAndSet(now) == now;
                });
        return open.get();
    }
}
