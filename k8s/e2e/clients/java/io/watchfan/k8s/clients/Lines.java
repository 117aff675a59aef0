package io.watchfan.k8s.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The lines that a client under test writes and reads; see {@code ../../../../../README.md}. */
final class Lines {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    // Libraries may log to System.out.
    private static final PrintStream OUT = System.out;

    private Lines() {}

    /** What is told of an object. */
    record Told(String name, String version, String value) {
        static Told of(String name, String version, Map<String, String> data) {
            return new Told(name, version, data == null ? null : data.get("k"));
        }
    }

    static void synced() {
        write(MAPPER.createObjectNode().put("synced", true));
    }

    static void event(String type, Told object) {
        write(MAPPER.createObjectNode()
                .put("event", type)
                .put("name", object.name())
                .put("version", object.version())
                .put("value", object.value()));
    }

    /** Answers what is asked on standard input until its end. */
    static <T> void answer(Supplier<? extends Collection<T>> store, Function<T, Told> describe) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            if (!command.equals("state")) {
                throw new IOException("no such command: " + command);
            }
            ObjectNode state = MAPPER.createObjectNode();
            for (T object : store.get()) {
                Told told = describe.apply(object);
                ArrayNode pair = state.putArray(told.name());
                pair.add(told.version()).add(told.value());
            }
            ObjectNode line = MAPPER.createObjectNode();
            line.set("state", state);
            write(line);
        }
    }

    private static synchronized void write(ObjectNode line) {
        OUT.println(line);
        OUT.flush();
    }
}
