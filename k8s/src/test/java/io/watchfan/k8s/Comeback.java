package io.watchfan.k8s;

import io.watchfan.k8s.Pods.Change;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Clients that come back with a version they were once told, from the proxy or at the API server itself. Each must come, by
 * steps that make sense to it, to what there is. Only who holds a version from within a gap is told 410: it may know what
 * nobody here has ever heard of.
 */
final class Comeback {
    private static final int AT_ONCE = 60;
    private static final List<String> SCOPES = List.of("everything", "tier=a", "status.phase=Running");

    private final Api proxy;
    private final Pods pods;
    private final StreamChecks checks;
    private final GapModel gap;
    private final long last;

    private record Client(PodScope scope, long version) {}

    Comeback(Api proxy, Pods pods, StreamChecks checks, GapModel gap) {
        this.proxy = proxy;
        this.pods = pods;
        this.checks = checks;
        this.gap = gap;
        List<Change> changes = pods.changes();
        this.last = changes.get(changes.size() - 1).version();
    }

    /** What is wrong with what those are told that come back with one of these versions. */
    List<String> faults(Collection<Long> versions) throws IOException, InterruptedException {
        List<Client> clients = new ArrayList<>();
        for (PodScope scope : PodScope.all(pods.namespace())) {
            if (SCOPES.contains(scope.name())) {
                versions.stream()
                        .filter(version -> version < last)
                        .forEach(version -> clients.add(new Client(scope, version)));
            }
        }
        List<String> faults = new ArrayList<>();
        for (int first = 0; first < clients.size(); first += AT_ONCE) {
            List<Client> some = clients.subList(first, Math.min(clients.size(), first + AT_ONCE));
            List<CompletableFuture<Watching>> opening = some.stream()
                    .map(client -> proxy.watchSoon(client.scope().watchFrom(client.version())))
                    .toList();
            for (int at = 0; at < some.size(); at++) {
                String fault = fault(some.get(at), opening.get(at));
                if (fault != null) {
                    faults.add(some.get(at).scope().name() + " from "
                            + some.get(at).version() + ": " + fault);
                }
            }
        }
        return faults;
    }

    /** What is wrong with what a client is told up to the last change, which is in all scopes; null when nothing is. */
    private String fault(Client client, CompletableFuture<Watching> opening) throws IOException, InterruptedException {
        List<String> lines;
        try (Watching watching = opening.get(Watching.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            String end = "\"resourceVersion\":\"" + last + "\"";
            lines = watching.until(
                            "version " + last,
                            all -> all.stream()
                                    .anyMatch(line -> line.contains(end) || line.startsWith("{\"type\":\"ERROR\"")))
                    .lines();
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(client.toString(), e);
        }
        String refusal = lines.get(0).contains("\"code\":410") ? lines.get(0) : null;
        int known = gap.changesUpTo(client.version());
        boolean missed = known > gap.from() && known <= gap.to();
        if (refusal != null) {
            return missed ? null : refusal;
        }
        if (missed && known < gap.to()) {
            return "was served, and may know what nobody here has heard of";
        }
        return checks.resumedWrongly(client.scope(), known, WatchLine.all(lines));
    }
}
