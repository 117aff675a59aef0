package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.RuntimeJsonMappingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** {@code kubectl get --watch}, run again when it has ended, as a script does. */
final class KubectlClient implements WatchingClient {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<String> command;
    private final Path home;
    private final Path errors;
    private final BooleanSupplier isWatching;
    private final List<Told> events = new ArrayList<>();
    private final Map<String, String> state = new TreeMap<>();
    private Process process;
    private boolean closed;

    /**
     * @param isWatching whether the first watch is open, which kubectl does not say
     */
    KubectlClient(String name, List<String> command, Path home, BooleanSupplier isWatching) throws IOException {
        this.command = command;
        this.home = home;
        this.isWatching = isWatching;
        this.errors = Checkout.leftovers("clients").resolve(name + ".log");
        start();
        Thread reader = new Thread(this::read, "client-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private synchronized void start() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
        builder.environment().remove("KUBECONFIG");
        builder.environment().put("HOME", home.toString());
        // Whatever is told from here on tells all that there is.
        state.clear();
        process = builder.start();
    }

    private synchronized Process process() {
        return process;
    }

    private void read() {
        try {
            while (true) {
                try (MappingIterator<JsonNode> printed =
                        MAPPER.readerFor(JsonNode.class).readValues(process().getInputStream())) {
                    printed.forEachRemaining(event -> told(Told.ofEvent(event)));
                } catch (RuntimeJsonMappingException e) {
                    throw new IOException(e);
                }
                start();
            }
        } catch (IOException e) {
            // closed
        }
    }

    private synchronized void told(Told event) {
        events.add(event);
        if (event.isDeleted()) {
            state.remove(event.name());
        } else {
            state.put(event.name(), event.held());
        }
    }

    @Override
    public boolean isSynced() {
        return isWatching.getAsBoolean();
    }

    @Override
    public synchronized List<Told> events() {
        return List.copyOf(events);
    }

    @Override
    public synchronized Map<String, String> state() {
        return new TreeMap<>(state);
    }

    @Override
    public void close() throws InterruptedException {
        synchronized (this) {
            closed = true;
            process.destroyForcibly();
        }
        process().waitFor(10, TimeUnit.SECONDS);
    }
}
