package io.watchfan.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class AdminServerIT {
    private final Vertx vertx = Vertx.vertx();
    private final ProxyMetrics metrics = new ProxyMetrics();
    private final List<String> missing = new CopyOnWriteArrayList<>();
    private final List<String> status = new CopyOnWriteArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private AdminServer server;

    @BeforeEach
    void start() throws Exception {
        server = new AdminServer(vertx, "127.0.0.1", 0, metrics, () -> new ArrayList<>(missing), () -> status);
        server.start().await(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws Exception {
        server.stop().await(10, TimeUnit.SECONDS);
        vertx.close().await(10, TimeUnit.SECONDS);
        metrics.close();
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldBeLiveEvenWhenNotReady() throws Exception {
        missing.add("something");

        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertThat(get("/livez").body()).isEqualTo("ok\n");
    }

    @Test
    void shouldSayWhatReadinessLacks() throws Exception {
        missing.addAll(List.of("feed pods is not in sync", "the API server has not answered yet"));
        HttpResponse<String> before = get("/readyz");
        missing.clear();
        HttpResponse<String> after = get("/readyz");

        assertThat(before.statusCode()).isEqualTo(503);
        assertThat(before.body())
                .isEqualTo("not ready: feed pods is not in sync; the API server has not answered yet\n");
        assertThat(after.statusCode()).isEqualTo(200);
        assertThat(after.body()).isEqualTo("ok\n");
    }

    @Test
    void shouldServeMetersInBothOfPrometheusFormats() throws Exception {
        metrics.gapRepaired();

        HttpResponse<String> text = get("/metrics");
        HttpResponse<String> open =
                get("/metrics", "Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");

        assertThat(text.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(text.body()).contains("\nwatchfan_gap_repairs_total 1.0\n");
        assertThat(open.headers().firstValue("Content-Type").orElse("")).startsWith("application/openmetrics-text");
        assertThat(open.body()).endsWith("# EOF\n");
    }

    @Test
    void shouldListWhatItIsToldOnThePageAndNothingAsMarkup() throws Exception {
        status.addAll(List.of("upstream https://a", "feed pods: <b>5</b> & more"));

        HttpResponse<String> page = get("/");

        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.body())
                .contains("Ready.")
                .contains("<th>upstream</th><td>https://a</td>")
                .contains("<th>feed</th><td>pods: &lt;b&gt;5&lt;/b&gt; &amp; more</td>");
    }

    @Test
    void shouldKnowNothingElse() throws Exception {
        assertThat(get("/secrets").statusCode()).isEqualTo(404);
    }

    @Test
    void shouldSayThatItCannotListen() {
        AdminServer second = new AdminServer(vertx, "127.0.0.1", server.actualPort(), metrics, List::of, List::of);

        assertThatThrownBy(() -> second.start().await(10, TimeUnit.SECONDS)).hasMessageContaining("in use");
    }
}
