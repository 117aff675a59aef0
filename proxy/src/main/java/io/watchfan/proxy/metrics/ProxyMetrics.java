package io.watchfan.proxy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Every meter of the proxy: names, units and labels stand here and nowhere else. Prometheus sees {@code x.y} as
 * {@code x_y}, and counters with {@code _total} behind.
 *
 * <p>Labels are bounded: verbs, outcomes, reasons and causes are fixed words of the code; resources are those that a
 * feed was opened for ({@link #resource}), at most {@value #MOST_RESOURCES}, the rest count as {@value #OTHER}.
 *
 * <p>Any thread may call anything here. The hot counters ({@link #deliveries}, {@link #bytesOut}) are handed out once
 * and added to per batch.
 */
public final class ProxyMetrics implements AutoCloseable {
    /** Prometheus' text format, what a scrape is when nothing else is asked for. */
    static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    static final String OPEN_METRICS_NAME = "application/openmetrics-text";

    static final String OPEN_METRICS = OPEN_METRICS_NAME + "; version=1.0.0; charset=utf-8";

    /** Stands for every value that has no label of its own. */
    public static final String OTHER = "other";

    private static final int MOST_RESOURCES = 1000;

    /** What became of a request. */
    public enum Outcome {
        /** Answered here. */
        SERVED,
        /** Forwarded to the API server. */
        PASSTHROUGH,
        /** Refused here. */
        REFUSED;

        private final String label = name().toLowerCase(java.util.Locale.ROOT);
    }

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
    private final BoundedLabels resources = new BoundedLabels(MOST_RESOURCES);
    private final LongAdder passthroughActive = new LongAdder();
    private final LongAdder watchers = new LongAdder();
    private final LongAdder lists = new LongAdder();
    private final LongAdder waiting = new LongAdder();

    private final MeterProvider<Counter> requests = Counter.builder("watchfan.requests")
            .description("Requests by what became of them")
            .withRegistry(registry);
    private final MeterProvider<Counter> watchEnds = Counter.builder("watchfan.watch.ends")
            .description("Watches of clients that ended, by reason")
            .withRegistry(registry);
    private final MeterProvider<Counter> eventsIn = Counter.builder("watchfan.events.in")
            .description("Events received from the API server")
            .withRegistry(registry);
    private final MeterProvider<Counter> deliveries = Counter.builder("watchfan.deliveries")
            .description("Events handed to the connections of watchers")
            .withRegistry(registry);
    private final MeterProvider<Counter> relists = Counter.builder("watchfan.upstream.relists")
            .description("Lists made to start a feed or start it anew, by cause")
            .withRegistry(registry);
    private final MeterProvider<Counter> upstreamTroubles = Counter.builder("watchfan.upstream.troubles")
            .description("Attempts to list or watch that failed; each is made again")
            .withRegistry(registry);
    private final MeterProvider<Counter> freshReads = Counter.builder("watchfan.fresh.reads")
            .description("Requests for the present state, by the way they were answered")
            .withRegistry(registry);
    private final MeterProvider<Counter> cuts = Counter.builder("watchfan.response.cuts")
            .description("Responses other than running watches whose clients took too long to take them, by the limit")
            .withRegistry(registry);
    private final Counter gapRepairs = Counter.builder("watchfan.gap.repairs")
            .description("Gaps in an upstream watch that were closed without ending the watches of clients")
            .register(registry);
    private final Counter bytesOut = Counter.builder("watchfan.bytes.out")
            .description("Bytes of watch streams handed to the connections of watchers")
            .register(registry);

    private final Counter bytesFramed = Counter.builder("watchfan.bytes.framed")
            .description(
                    "Bytes of watch streams as put together, once for all watches of an event loop that get the same")
            .register(registry);

    /** Meters of this process, with those of its JVM. */
    public ProxyMetrics() {
        gauge("watchfan.passthrough.active", "Requests being passed through", passthroughActive, LongAdder::sum);
        gauge("watchfan.watchers", "Open watches of clients", watchers, LongAdder::sum);
        gauge("watchfan.requests.waiting", "Requests that wait for a feed or its state", waiting, LongAdder::sum);
        gauge("watchfan.lists", "Lists and objects being sent to clients", lists, LongAdder::sum);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        garbageCollection.bindTo(registry);
    }

    /**
     * Counts a request once it is known what becomes of it.
     *
     * @param verb get, list, watch, create, ...: fixed words, not what the client sent
     * @param reason one of the fixed words of the caller, why it is not served from the cache; empty if it is
     */
    public void request(String verb, Outcome outcome, String reason) {
        requests.withTags("verb", verb, "outcome", outcome.label, "reason", reason)
                .increment();
    }

    /** A request begins to be passed through; {@link #passthroughEnded} follows exactly once. */
    public void passthroughStarted() {
        passthroughActive.increment();
    }

    /** See {@link #passthroughStarted}. */
    public void passthroughEnded() {
        passthroughActive.decrement();
    }

    /** Requests being passed through now. */
    public long passthroughCount() {
        return passthroughActive.sum();
    }

    /** A request waits for what it is answered with; {@link #waitingEnded} follows exactly once. Any thread. */
    public void waitingStarted() {
        waiting.increment();
    }

    /** See {@link #waitingStarted}. */
    public void waitingEnded() {
        waiting.decrement();
    }

    /** Requests that wait for what they are answered with. */
    public long waitingCount() {
        return waiting.sum();
    }

    /**
     * A list, or an object that its client does not take at once, begins to be sent; {@link #listEnded} follows exactly once.
     * Any thread.
     */
    public void listStarted() {
        lists.increment();
    }

    /** See {@link #listStarted}. */
    public void listEnded() {
        lists.decrement();
    }

    /** Lists and objects being sent now. */
    public long listCount() {
        return lists.sum();
    }

    /** A client's watch is open; {@link #watchEnded} follows exactly once. */
    public void watchStarted() {
        watchers.increment();
    }

    /** A client's watch ended for this reason, one of the fixed words of the caller. */
    public void watchEnded(String reason) {
        watchers.decrement();
        watchEnds.withTags("reason", reason).increment();
    }

    /** Open watches of clients now. */
    public long watcherCount() {
        return watchers.sum();
    }

    /** Counts events of a resource as they come from upstream; the caller keeps it. */
    public Counter eventsIn(String resource) {
        return eventsIn.withTags("resource", resource(resource));
    }

    /** Counts events of a resource handed to watchers; the caller keeps it. */
    public Counter deliveries(String resource) {
        return deliveries.withTags("resource", resource(resource));
    }

    /** Counts a list made for this cause, one of the fixed words of the caller. */
    public void relist(String resource, String cause) {
        relists.withTags("resource", resource(resource), "cause", cause).increment();
    }

    /** Counts a failed attempt to list or watch. */
    public void upstreamTrouble(String resource) {
        upstreamTroubles.withTags("resource", resource(resource)).increment();
    }

    /** Counts a request for the present state by the way it was answered, one of the fixed words of the caller. */
    public void freshRead(String way) {
        freshReads.withTags("way", way).increment();
    }

    /** Counts a response that was cut because its client took too long, by the limit, one of the fixed words of the caller. */
    public void responseCut(String limit) {
        cuts.withTags("limit", limit).increment();
    }

    /** Counts a repaired gap. */
    public void gapRepaired() {
        gapRepairs.increment();
    }

    /** Counts bytes handed to watchers' connections. */
    public Counter bytesOut() {
        return bytesOut;
    }

    /** Counts bytes that have been put together to be handed to one watcher's connection or many. */
    public void bytesFramed(long bytes) {
        bytesFramed.increment((double) bytes);
    }

    /** Shows the number of feeds; {@code source} is held weakly, and read on scraping from any thread. */
    public <T> void feeds(T source, ToDoubleFunction<T> count) {
        gauge("watchfan.feeds", "Feeds", source, count);
    }

    /** Shows the number of upstream watches; {@code source} is held weakly, and read on scraping from any thread. */
    public <T> void upstreamWatches(T source, ToDoubleFunction<T> count) {
        gauge("watchfan.upstream.watches", "Open watches to the API server", source, count);
    }

    /** Shows the bytes of all feeds' state and windows; {@code source} is held weakly, and read on scraping. */
    public <T> void cacheBytes(T source, ToDoubleFunction<T> count) {
        gauge("watchfan.cache.bytes", "Serialized bytes of the state and windows of all feeds", source, count);
    }

    /** The registry itself, for meters of libraries. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return scrape(PROMETHEUS_TEXT);
    }

    /** All meters as text of this content type. */
    String scrape(String contentType) {
        return registry.scrape(contentType);
    }

    /** The label of this resource ({@code RESOURCE.GROUP}). */
    private String resource(String name) {
        return resources.label(name);
    }

    private <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
        Gauge.builder(name, source, value).description(description).register(registry);
    }

    @Override
    public void close() {
        garbageCollection.close();
        registry.close();
    }
}
