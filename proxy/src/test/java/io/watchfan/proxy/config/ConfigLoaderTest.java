package io.watchfan.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.watchfan.proxy.config.ConfigLoader.Invocation;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigLoaderTest {
    @TempDir
    private Path folder;

    // ---- flags

    @Test
    void shouldHaveTheDocumentedDefaults() {
        ProxyConfig config = ConfigLoader.parse();

        assertThat(config.upstream().kubeconfig()).isEmpty();
        assertThat(config.upstream().url()).isEmpty();
        assertThat(config.listen()).isEqualTo(new HostPort("127.0.0.1", 8001));
        assertThat(config.admin()).isEqualTo(new HostPort("127.0.0.1", 8002));
        assertThat(config.auth()).isEqualTo(AuthMode.NONE);
        assertThat(config.feeds()).isEmpty();
        assertThat(config.noCache()).containsExactly(new ResourceName("secrets", ""));
        assertThat(config.readOnly()).isFalse();
        assertThat(config.maxFeeds()).isEqualTo(100);
        assertThat(config.window()).isEqualTo(new WindowConfig(100_000, 64 << 20, Duration.ofMinutes(10)));
        assertThat(config.bookmarkInterval()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.upstreamTimeout()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.writeTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.requestTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.feedIdle()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.drainGrace()).isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void shouldReadEveryFlag() {
        ProxyConfig config = ConfigLoader.parse(
                "--upstream=https://api.example:6443/base",
                "--upstream-ca",
                "ca.pem",
                "--upstream-token-file=token",
                "--listen=[::1]:0",
                "--admin",
                "0.0.0.0:9",
                "--auth",
                "none",
                "--allow-host=watchfan.local",
                "--feed=pods",
                "--feed=deployments.apps@team",
                "--no-cache=configmaps",
                "--no-cache=things.example.com",
                "--read-only",
                "--max-feeds=7",
                "--window-events=4",
                "--window-bytes=2MiB",
                "--window-age=1h30m",
                "--bookmark-interval=1s",
                "--upstream-timeout=500ms",
                "--write-timeout=2m",
                "--request-timeout=5m",
                "--feed-idle=1.5h",
                "--drain-grace=0s");

        assertThat(config.upstream().url()).contains(URI.create("https://api.example:6443/base"));
        assertThat(config.upstream().caFile()).contains(Path.of("ca.pem"));
        assertThat(config.upstream().tokenFile()).contains(Path.of("token"));
        assertThat(config.listen()).isEqualTo(new HostPort("::1", 0));
        assertThat(config.admin()).isEqualTo(new HostPort("0.0.0.0", 9));
        assertThat(config.allowedHosts().accepts("watchfan.local:80")).isTrue();
        assertThat(config.feeds())
                .containsExactly(new FeedSpec("pods", "", ""), new FeedSpec("deployments", "apps", "team"));
        assertThat(config.noCache())
                .containsExactlyInAnyOrder(
                        new ResourceName("configmaps", ""), new ResourceName("things", "example.com"));
        assertThat(config.mayCache("things", "example.com")).isFalse();
        assertThat(config.mayCache("things", "")).isTrue();
        assertThat(config.mayCache("secrets", "")).isTrue();
        assertThat(config.readOnly()).isTrue();
        assertThat(config.maxFeeds()).isEqualTo(7);
        assertThat(config.window()).isEqualTo(new WindowConfig(4, 2 << 20, Duration.ofMinutes(90)));
        assertThat(config.bookmarkInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.upstreamTimeout()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.writeTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(config.requestTimeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.feedIdle()).isEqualTo(Duration.ofMinutes(90));
        assertThat(config.drainGrace()).isZero();
    }

    @Test
    void shouldReadAKubeconfigAndItsContext() {
        UpstreamConfig upstream =
                ConfigLoader.parse("--kubeconfig", "file", "--context", "other").upstream();

        assertThat(upstream.kubeconfig()).contains(Path.of("file"));
        assertThat(upstream.context()).contains("other");
    }

    @Test
    void shouldCacheEverythingWhenNothingIsExcepted() {
        assertThat(ConfigLoader.parse("--no-cache", "none").noCache()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen 8001                     | --listen: '8001' is not HOST:PORT",
                "--listen :8001                    | --listen: ':8001' names no host",
                "--listen a:70000                  | --listen: 'a:70000': the port is above 65535",
                "--listen ::1:80                   | --listen: '::1:80' is not HOST:PORT",
                "--listen 0.0.0.0:80               | --listen: 0.0.0.0:80 can be reached from the network",
                "--listen [::]:80                  | --listen: [::]:80 can be reached from the network",
                "--listen 10.1:80                  | --listen: 10.1:80 can be reached from the network",
                "--listen no.invalid:80            | --listen: there is no host 'no.invalid', its name does not resolve",
                "--listen 256.0.0.1:80             | --listen: there is no host '256.0.0.1'",
                "--admin no.invalid:80             | --admin: there is no host 'no.invalid', its name does not resolve",
                "--admin x                         | --admin: 'x' is not HOST:PORT",
                "--admin 127.0.0.1:8001            | --admin: 127.0.0.1:8001 has the port of --listen 127.0.0.1:8001",
                "--auth delegated                  | --auth: 'delegated' is not a way to tell callers apart",
                "--auth NONE                       | --auth: 'NONE' is not a way",
                "--upstream example                | --upstream: 'example' is no URL; http:// or https:// is missing in front",
                "--upstream 127.0.0.1:8080         | --upstream: '127.0.0.1:8080' is no URL; http:// or https:// is missing",
                "--upstream localhost:8080         | --upstream: 'localhost:8080' is no URL; http:// or https:// is missing",
                "--upstream http://                | --upstream: 'http://' is not a URL",
                "--upstream http:///a              | --upstream: 'http:///a' is not an http or https URL with a host",
                "--upstream ftp://a                | --upstream: 'ftp://a' is not an http or https URL",
                "--upstream http://a?b             | --upstream: 'http://a?b' may hold scheme, host, port and path only",
                "--upstream http://u:p@a           | --upstream: 'http://u:p@a' may hold",
                "--upstream http://a:99999         | --upstream: 'http://a:99999' has no port that exists",
                "--upstream http://a^b             | --upstream: 'http://a^b' is not a URL",
                "--upstream http://a --kubeconfig b| --kubeconfig: cannot be used together with --upstream",
                "--upstream http://a --context b   | --context: names a context of a kubeconfig",
                "--upstream-ca a                   | --upstream-ca: goes with --upstream only",
                "--upstream-token-file a           | --upstream-token-file: goes with --upstream only",
                "--feed Pods                       | --feed: 'Pods' is not RESOURCE[.GROUP]",
                "--feed pods@                      | --feed: 'pods@': '' is not the name of a namespace",
                "--feed pods@A                     | --feed: 'pods@A': 'A' is not the name of a namespace",
                "--feed pods.                      | --feed: 'pods.' is not RESOURCE[.GROUP]",
                "--feed pods/log                   | --feed: 'pods/log' is not RESOURCE[.GROUP]",
                "--no-cache a@b                    | --no-cache: 'a@b' is not RESOURCE[.GROUP]",
                "--allow-host *                    | --allow-host: '*' is not the name of a host",
                "--allow-host http://a             | --allow-host: 'http://a' is not the name of a host",
                "--scope wide                      | --scope: 'wide' is none of auto, cluster and namespace",
                "--memory 0                        | --memory: must be more than 0",
                "--max-feeds 0                     | --max-feeds: 0 is not between 1 and 10000",
                "--max-feeds many                  | --max-feeds: 'many' is not a whole number",
                "--max-feeds 99999999999           | --max-feeds: '99999999999' is not a whole number",
                "--window-events -1                | --window-events: -1 is not between 1 and",
                "--window-bytes 1TB                | --window-bytes: '1TB' is not a size",
                "--window-bytes 0                  | --window-bytes: must be more than 0",
                "--window-bytes -5                 | --window-bytes: '-5' is not a size",
                "--window-bytes 999999999999GiB    | --window-bytes: '999999999999GiB' is too large",
                "--window-age 10                   | --window-age: '10' is not a duration",
                "--window-age 1d                   | --window-age: '1d' is not a duration",
                "--bookmark-interval 0s            | --bookmark-interval: must be more than 0",
                "--upstream-timeout 99999h         | --upstream-timeout: is longer than a year",
                "--write-timeout soon              | --write-timeout: 'soon' is not a duration",
                "--feed-idle -1s                   | --feed-idle: '-1s' is not a duration",
                "--drain-grace 9999999h            | --drain-grace: is longer than a year",
                "--listen a:1 --listen b:1         | --listen: given more than once",
                "--nonsense                        | unknown argument '--nonsense'",
                "--tls-cert x                      | unknown argument '--tls-cert'",
                "stray                             | unknown argument 'stray'",
                "--read-only=perhaps               | --read-only: 'perhaps' is not a boolean",
            })
    void shouldRefuseABadFlagInOneLineThatNamesIt(String arguments, String message) {
        assertThatThrownBy(() -> ConfigLoader.parse(arguments.split("\\s+", -1)))
                .isInstanceOf(UsageException.class)
                .message()
                .startsWith(message)
                .doesNotContain("\n");
    }

    @Test
    void shouldRefuseAFlagWithoutItsValue() {
        assertThatThrownBy(() -> ConfigLoader.parse("--listen"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--listen");
    }

    @Test
    void shouldListenToTheNetworkWhenThatIsMeant() {
        ProxyConfig config = ConfigLoader.parse("--listen", "0.0.0.0:80", "--allow-unauthenticated-network");

        assertThat(config.listen().isWildcard()).isTrue();
    }

    @Test
    void shouldNotReadArgumentsOutOfFiles() throws IOException {
        Path file = Files.writeString(folder.resolve("args"), "--read-only");

        assertThatThrownBy(() -> ConfigLoader.parse("@" + file)).isInstanceOf(UsageException.class);
    }

    @Test
    void shouldShowHelpWithEveryFlagAndVersion() {
        String help = show("--help");
        String version = show("--version");

        assertThat(help)
                .contains("--listen=HOST:PORT")
                .contains("127.0.0.1:8001")
                .contains("--config")
                .contains("64MiB");
        assertThat(version).startsWith("watchfan ");
    }

    private static String show(String flag) {
        return catchShow(ConfigLoader.load("--listen", "127.0.0.1:0", flag));
    }

    private static String catchShow(Invocation invocation) {
        assertThat(invocation).isInstanceOf(Invocation.Show.class);
        return ((Invocation.Show) invocation).text();
    }

    // ---- file

    private Path file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("config.yaml"), yaml);
    }

    private ProxyConfig load(String yaml, String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of("--config", file(yaml).toString()));
        all.addAll(List.of(flags));
        return ConfigLoader.parse(all.toArray(String[]::new));
    }

    @Test
    void shouldReadEveryKeyOfTheFile() throws IOException {
        ProxyConfig config = load("""
                upstream: http://a:1
                listen: 127.0.0.1:0
                admin: "[::1]:0"
                auth: none
                allow-host: [one, two]
                feed:
                  - pods
                  - jobs.batch
                no-cache: none
                read-only: true
                max-feeds: 5
                window-events: 10
                window-bytes: 1048576
                window-age: 1m
                bookmark-interval: 2s
                upstream-timeout: 3s
                write-timeout: 4s
                feed-idle: 5s
                drain-grace: 6s
                allow-unauthenticated-network: false
                """);

        assertThat(config.upstream().url()).contains(URI.create("http://a:1"));
        assertThat(config.admin().host()).isEqualTo("::1");
        assertThat(config.allowedHosts().accepts("two")).isTrue();
        assertThat(config.feeds()).containsExactly(new FeedSpec("pods", "", ""), new FeedSpec("jobs", "batch", ""));
        assertThat(config.noCache()).isEmpty();
        assertThat(config.readOnly()).isTrue();
        assertThat(config.maxFeeds()).isEqualTo(5);
        assertThat(config.window()).isEqualTo(new WindowConfig(10, 1 << 20, Duration.ofMinutes(1)));
        assertThat(config.drainGrace()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void shouldPreferFlagsToTheFileAndTheFileToDefaults() throws IOException {
        ProxyConfig config = load(
                "max-feeds: 5\nwindow-events: 10\nread-only: true\nfeed: pods\n",
                "--max-feeds=6",
                "--read-only=false",
                "--feed=nodes");

        assertThat(config.maxFeeds()).isEqualTo(6);
        assertThat(config.window().events()).isEqualTo(10);
        assertThat(config.readOnly()).isFalse();
        assertThat(config.feeds()).containsExactly(new FeedSpec("nodes", "", ""));
    }

    @Test
    void shouldPreferAFlagEvenIfItSaysTheDefault() throws IOException {
        assertThat(load("max-feeds: 5\n", "--max-feeds=100").maxFeeds()).isEqualTo(100);
    }

    @Test
    void shouldLetTheFlagsChooseTheWayToTheApiServer() throws IOException {
        UpstreamConfig url =
                load("kubeconfig: a\ncontext: b\n", "--upstream=http://c").upstream();
        UpstreamConfig kubeconfig = load(
                        "upstream: http://c\nupstream-ca: d\nupstream-token-file: e\n", "--kubeconfig=a")
                .upstream();

        assertThat(url.kubeconfig()).isEmpty();
        assertThat(url.context()).isEmpty();
        assertThat(kubeconfig.url()).isEmpty();
        assertThat(kubeconfig.caFile()).isEmpty();
        assertThat(kubeconfig.tokenFile()).isEmpty();
    }

    @Test
    void shouldAcceptAnEmptyFile() throws IOException {
        assertThat(load("# nothing yet\n").maxFeeds()).isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "windw-events: 5        | : unknown key 'windw-events'",
                "config: x              | : unknown key 'config'",
                "version: true          | : unknown key 'version'",
                "max-feeds: 0x          | : max-feeds: '0x' is not a whole number",
                "max-feeds:             | : max-feeds: must be a value or a list of values",
                "max-feeds: {a: 1}      | : max-feeds: must be a value or a list of values",
                "max-feeds: [1, 2]      | : max-feeds: given more than once",
                "'[1, 2]'               | ' is not a YAML mapping'",
                "just text              | ' is not a YAML mapping'",
                "'a: [1'                | ' is not valid YAML (line'",
                "'feed: a\nfeed: b'     | ' is not valid YAML (line'",
            })
    void shouldRefuseABadFileInOneLineThatNamesIt(String yaml, String message) {
        UsageException refused = catchThrowableOfType(UsageException.class, () -> load(yaml));

        assertThat(refused)
                .hasMessageStartingWith("--config: " + folder.resolve("config.yaml") + message)
                .message()
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing.yaml", "."})
    void shouldRefuseAFileThatIsNone(String name) {
        Path file = folder.resolve(name);

        assertThatThrownBy(() -> ConfigLoader.parse("--config", file.toString()))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--config: " + file);
    }
}
