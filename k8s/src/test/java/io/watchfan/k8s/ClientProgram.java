package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program of {@code e2e/clients}, which runs an informer and tells what it is told. */
final class ClientProgram implements WatchingClient {
    private final Process process;
    private final BufferedWriter commands;
    private final BlockingQueue<JsonNode> states = new ArrayBlockingQueue<>(1);
    private final List<Told> events = new ArrayList<>();
    private final Path errors;
    private boolean synced;

    ClientProgram(String name, List<String> command, Map<String, String> environment) throws IOException {
        errors = Checkout.leftovers("clients").resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().remove("KUBECONFIG");
        builder.environment().putAll(environment);
        process = builder.start();
        commands = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "client-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode json = Json.read(line);
                if (json.has("state")) {
                    states.put(json.path("state"));
                    continue;
                }
                synchronized (this) {
                    if (json.has("event")) {
                        events.add(Told.ofLine(json));
                    } else if (json.path("synced").asBoolean()) {
                        synced = true;
                    }
                    notifyAll();
                }
            }
        } catch (IOException e) {
            // It has been killed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isSynced() throws IOException {
        if (!synced && !process.isAlive()) {
            throw new IOException("the client has ended; see " + errors);
        }
        return synced;
    }

    @Override
    public synchronized List<Told> events() {
        return List.copyOf(events);
    }

    @Override
    public Map<String, String> state() throws IOException, InterruptedException {
        commands.write("state\n");
        commands.flush();
        JsonNode json = states.poll(Watching.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (json == null) {
            throw new IOException("the client does not tell its state; see " + errors);
        }
        Map<String, String> state = new TreeMap<>();
        json.properties()
                .forEach(each -> state.put(
                        each.getKey(),
                        each.getValue().path(0).asText() + "="
                                + each.getValue().path(1).asText()));
        return state;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }
}
