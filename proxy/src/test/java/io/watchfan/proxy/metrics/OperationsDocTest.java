package io.watchfan.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/OPERATIONS.md has a row for every meter, and for no other. */
final class OperationsDocTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(watchfan_[a-z_]+)` \\|");
    private static final Pattern METER = Pattern.compile("(Counter\\.builder|gauge)\\(\\s*\"(watchfan[a-z.]+)\"");

    @Test
    void shouldHaveARowForEveryMeterAndNoOther() throws IOException {
        Set<String> documented = new TreeSet<>();
        for (Matcher row = ROW.matcher(read("docs/OPERATIONS.md")); row.find(); ) {
            documented.add(row.group(1));
        }
        Set<String> built = new TreeSet<>();
        String source = read("proxy/src/main/java/io/watchfan/proxy/metrics/ProxyMetrics.java");
        for (Matcher meter = METER.matcher(source); meter.find(); ) {
            String name = meter.group(2).replace('.', '_');
            built.add(meter.group(1).equals("gauge") ? name : name + "_total");
        }

        assertThat(built).contains("watchfan_watchers", "watchfan_requests_total");
        assertThat(documented).isEqualTo(built);
    }

    private static String read(String file) throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(file))) {
            folder = folder.getParent();
        }
        return Files.readString(folder.resolve(file));
    }
}
