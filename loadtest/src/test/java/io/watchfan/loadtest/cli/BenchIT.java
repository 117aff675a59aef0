package io.watchfan.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.loadtest.LoadTestMain;
import io.watchfan.loadtest.process.SimProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each scenario in small, with a relay for the proxy: the figures say nothing, but they are all there. */
@Timeout(180)
class BenchIT {
    private static final String RELAY = String.join(" ", SimProcess.java(RelayProxy.class.getName()));

    @TempDir
    private Path folder;

    private int bench(String... arguments) {
        List<String> all = new ArrayList<>(List.of("bench", "--rounds", "1", "--json", json().toString()));
        all.addAll(List.of(arguments));
        return LoadTestMain.run(all.toArray(String[]::new));
    }

    private Path json() {
        return folder.resolve("bench.json");
    }

    private JsonNode scenario() throws IOException {
        return new ObjectMapper().readTree(json().toFile()).at("/scenarios/0");
    }

    @ParameterizedTest
    @CsvSource({
        "idle, total per watch, 3",
        "resume, resume against live, 8",
        "stuck, more per stuck client, 4",
        "state, 'memory beside the state, at most', 12",
        "scopes, distinct against one, 3",
        "isolation, p99 beyond +10 % or 1 ms, 5",
        "delivery, 'saturated, watchfan against naive', 38"
    })
    void shouldFindAllFiguresOfAScenario(String name, String judged, int figures) throws IOException {
        Path html = folder.resolve("bench.html");

        int status = bench(name, "--watchers", "10", "--html", html.toString(), "--proxy-command", RELAY);

        JsonNode scenario = scenario();
        assertThat(scenario.path("failure").isNull()).as(scenario.toString()).isTrue();
        assertThat(status).isZero();
        assertThat(scenario.path("name").asText()).isEqualTo(name);
        assertThat(scenario.path("rounds").asInt()).isEqualTo(1);
        assertThat(scenario.path("figures")).hasSize(figures).allSatisfy(figure -> {
            assertThat(figure.path("median").isNumber()).isTrue();
            assertThat(figure.path("samples")).hasSize(1);
        });
        assertThat(scenario.path("figures"))
                .filteredOn(figure -> figure.path("name").asText().equals(judged))
                .singleElement()
                .satisfies(figure -> assertThat(figure.path("verdict").asText()).isEqualTo("NOT_JUDGED"));
        assertThat(Files.readString(html)).contains("<h2>" + name + "</h2>", "<svg", judged.replace("&", "&amp;"));
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void shouldSyncSlowlyAndAbandonPages() throws IOException {
        assertThat(bench("leftovers", "--watchers", "2", "--proxy-command", RELAY))
                .isZero();
        assertThat(scenario().path("figures")).hasSize(4);
    }

    @Test
    void shouldFailAndSayWhyWhenAScenarioCannotBeMeasured() throws IOException {
        // The relay's upstream speaks no HTTP/2.
        int status = bench("idle-http2", "--watchers", "10", "--patience", "2s", "--proxy-command", RELAY);

        assertThat(status).isEqualTo(1);
        assertThat(scenario().path("failure").asText()).startsWith("round 1: only 0 of 2 watchers got a stream");
    }

    @Test
    void shouldSayWhatAProxyWroteThatEndsAtOnce() throws IOException {
        int status = bench("idle", "--watchers", "10", "--proxy-command", "sh -c 'echo no such flag; exit 3'");

        assertThat(status).isEqualTo(1);
        assertThat(scenario().path("failure").asText()).contains("the proxy ended", "no such flag");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no-such-scenario",
                "idle --rounds 0",
                "idle --watchers 9",
                "idle --watchers 20000",
                "idle --patience 0s",
                "idle --html /no/such/folder/bench.html",
                "idle --proxy-command 'not"
            })
    void shouldRefuseWhatCannotBe(String arguments) {
        assertThat(bench(arguments.split(" ", -1))).isEqualTo(2);
        assertThat(json()).doesNotExist();
    }
}
