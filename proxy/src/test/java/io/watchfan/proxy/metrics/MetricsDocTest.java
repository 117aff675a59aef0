package io.watchfan.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What metrics show is explained: every meter, and every word that the code has for a reason. */
final class MetricsDocTest {
    private static final Path ROOT = root();
    private static final Path SOURCES = ROOT.resolve("proxy/src/main/java/io/watchfan/proxy");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(watchfan_[a-z_]+)` \\|");
    private static final Pattern METER = Pattern.compile("(Counter\\.builder|gauge)\\(\\s*\"(watchfan[a-z.]+)\"");

    @Test
    void shouldHaveARowForEveryMeterAndNoOther() throws IOException {
        Set<String> documented = words(ROW, operations());
        Set<String> built = new TreeSet<>();
        String source = Files.readString(SOURCES.resolve("metrics/ProxyMetrics.java"));
        for (Matcher meter = METER.matcher(source); meter.find(); ) {
            String name = meter.group(2).replace('.', '_');
            built.add(meter.group(1).equals("gauge") ? name : name + "_total");
        }

        assertThat(built).contains("watchfan_watchers", "watchfan_requests_total");
        assertThat(documented).isEqualTo(built);
    }

    @Test
    void shouldExplainWhyAWatchEnds() throws IOException {
        Set<String> ends = words(
                Pattern.compile("(?m)^ {4}[A-Z_]+\\(\"([a-z_]+)\"\\)[,;]"),
                Files.readString(SOURCES.resolve("watch/EndReason.java")));

        assertThat(ends).hasSizeGreaterThan(8).contains("deadline", "drain");
        assertThat(ends).allSatisfy(reason -> assertThat(operations()).contains("`" + reason + "`"));
    }

    @Test
    void shouldExplainWhyAFeedIsListed() throws IOException {
        Set<String> causes =
                words(Pattern.compile("\\b(?:list|listAgain|listPages|relist|distrust)\\(\"([a-z ]+)\""), sources());

        assertThat(causes).hasSizeGreaterThan(8).contains("start", "expired");
        assertThat(causes).allSatisfy(cause -> assertThat(operations()).contains("`" + cause.replace(' ', '_') + "`"));
    }

    @Test
    void shouldExplainWhyARequestIsPassedThrough() throws IOException {
        Set<String> reasons = new TreeSet<>();
        String sources = sources();
        for (String where : List.of(
                "passthrough\\.handle\\([^;\"]*\"([a-z_]+)\"",
                "NotServedException\\([^;\"]*\"([a-z_]+)\"",
                "NotServedException\\([^;\"]*\"[a-z_]+\" : \"([a-z_]+)\"",
                "NotServed\\(\"([a-z_]+)\"",
                "refused\\(\"([a-z_]+)\"",
                "exactly\\([^;\"]*\"([a-z_]+)\"",
                "String (?:REASON_[A-Z_]+|FORBIDDEN|NO_PROTOBUF) = \"([a-z_]+)\"")) {
            reasons.addAll(words(Pattern.compile(where), sources));
        }
        reasons.addAll(words(
                Pattern.compile("return \"([a-z_]+)\";"), Files.readString(SOURCES.resolve("RequestRouter.java"))));
        String fidelity = Files.readString(ROOT.resolve("docs/FIDELITY.md"));

        assertThat(reasons).hasSizeGreaterThan(20).contains("other", "table", "feed_late", "continue_expired");
        assertThat(reasons).allSatisfy(reason -> assertThat(fidelity).contains("`" + reason + "`"));
    }

    private static Set<String> words(Pattern pattern, String text) {
        Set<String> words = new TreeSet<>();
        for (Matcher word = pattern.matcher(text); word.find(); ) {
            words.add(word.group(1));
        }
        return words;
    }

    private static String operations() throws IOException {
        return Files.readString(ROOT.resolve("docs/OPERATIONS.md"));
    }

    /** All sources of the proxy, one behind the other. */
    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/OPERATIONS.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
