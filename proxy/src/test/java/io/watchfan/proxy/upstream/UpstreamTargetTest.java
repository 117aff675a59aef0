package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UpstreamTargetTest {
    @TempDir
    private static Path keys;

    private static UpstreamTargetCertificates certificates;

    @TempDir
    private Path folder;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new UpstreamTargetCertificates(keys);
    }

    private UpstreamTarget load(String... flags) {
        environment.putIfAbsent("HOME", folder.toString());
        return new UpstreamTargetLoader(environment, folder.resolve("serviceaccount"))
                .load(ConfigLoader.parse(flags).upstream());
    }

    private Path file(String name, String content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** One cluster, one user, whose keys are given, one context. */
    private Path kubeconfig(String cluster, String user) throws IOException {
        return file("kubeconfig", """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts:
                - name: here
                  context: {cluster: c, user: u}
                clusters:
                - name: c
                  cluster: {%s}
                users:
                - name: u
                  user: {%s}
                """.formatted(cluster, user));
    }

    private UpstreamTarget loadKubeconfig(String cluster, String user) throws IOException {
        return load("--kubeconfig", kubeconfig(cluster, user).toString());
    }

    private void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable loading, String... words) {
        assertThatThrownBy(loading)
                .isInstanceOf(UsageException.class)
                .message()
                .contains(words)
                .doesNotContain("\n");
    }

    // ---- by URL

    @ParameterizedTest
    @CsvSource({
        "http://a,            false, a,   80,   a,        ''",
        "https://a,           true,  a,   443,  a,        ''",
        "HTTPS://a:443/,      true,  a,   443,  a,        ''",
        "https://a:6443,      true,  a,   6443, a:6443,   ''",
        "http://[::1]:80/b/,  false, ::1, 80,   [::1],    /b",
        "http://127.0.0.1:1/k8s/c%2Fd, false, 127.0.0.1, 1, 127.0.0.1:1, /k8s/c%2Fd",
    })
    void shouldTakeAUrlApart(String url, boolean ssl, String host, int port, String authority, String basePath) {
        UpstreamTarget target = load("--upstream", url);

        assertThat(target.ssl()).isEqualTo(ssl);
        assertThat(target.host()).isEqualTo(host);
        assertThat(target.port()).isEqualTo(port);
        assertThat(target.authority()).isEqualTo(authority);
        assertThat(target.basePath()).isEqualTo(basePath);
        assertThat(target.credentials().authorization()).isEmpty();
    }

    @Test
    void shouldReadTheTokenThatGoesWithAUrl() throws IOException {
        Path token = file("token", "  secret\n");

        assertThat(load("--upstream", "http://a", "--upstream-token-file", token.toString())
                        .credentials()
                        .authorization())
                .contains("Bearer secret");
    }

    @Test
    void shouldRefuseFilesThatAreNotWhatTheFlagSays() throws IOException {
        Path nothing = folder.resolve("nothing");
        Path text = file("text", "hello there");
        Path broken = file("broken", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        Path empty = file("empty", "\n");

        assertRefused(
                () -> load("--upstream=https://a", "--upstream-ca=" + nothing), "--upstream-ca: ", "does not exist");
        assertRefused(
                () -> load("--upstream=https://a", "--upstream-ca=" + folder), "--upstream-ca: ", "is a directory");
        assertRefused(() -> load("--upstream=https://a", "--upstream-ca=" + text), "--upstream-ca: ", "certificate");
        assertRefused(
                () -> load("--upstream=https://a", "--upstream-ca=" + broken),
                "--upstream-ca: ",
                "no valid certificate");
        assertRefused(
                () -> load("--upstream=https://a", "--upstream-ca=" + empty),
                "--upstream-ca: ",
                "no valid certificate");
        assertRefused(
                () -> load("--upstream=http://a", "--upstream-token-file=" + nothing),
                "--upstream-token-file: ",
                "does not exist");
        assertRefused(
                () -> load("--upstream=http://a", "--upstream-token-file=" + text), "--upstream-token-file: ", "token");
        assertRefused(
                () -> load("--upstream=http://a", "--upstream-token-file=" + empty),
                "--upstream-token-file: ",
                "no token");
    }

    @Test
    void shouldRefuseAuthoritiesForAConnectionWithoutTls() throws Exception {
        Path ca = file("ca", certificates.ca());

        assertRefused(
                () -> load("--upstream=http://a", "--upstream-ca=" + ca), "--upstream-ca: goes with an https URL");
    }

    // ---- where it is looked for

    @Test
    void shouldPreferTheServiceAccountOfAPod() throws Exception {
        file("serviceaccount/token", "pod");
        file("serviceaccount/ca.crt", certificates.ca());
        file(".kube/config", "");
        environment.put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        environment.put("KUBERNETES_SERVICE_PORT", "443");

        UpstreamTarget target = load();

        assertThat(target).hasToString("https://10.0.0.1");
        assertThat(target.credentials().authorization()).contains("Bearer pod");
    }

    @Test
    void shouldThenTakeTheFilesOfTheVariableAndThenTheOneAtHome() throws IOException {
        Path variable = kubeconfig("server: 'https://variable'", "");
        Files.createDirectories(folder.resolve(".kube"));
        Files.copy(kubeconfig("server: 'https://home'", ""), folder.resolve(".kube/config"));
        kubeconfig("server: 'https://variable'", "");

        String home = load().toString();
        environment.put("KUBECONFIG", folder.resolve("missing") + ":" + variable);
        String named = load().toString();

        assertThat(home).isEqualTo("https://home");
        assertThat(named).isEqualTo("https://variable");
    }

    @Test
    void shouldSayWhereItLookedInVain() {
        assertRefused(this::load, "no API server is named", "--kubeconfig", "--upstream", ".kube/config");
        environment.put("KUBECONFIG", folder.resolve("missing").toString());
        assertRefused(this::load, "$KUBECONFIG: ", "missing does not exist");
    }

    // ---- kubeconfig

    @Test
    void shouldMergeFilesFirstComeFirstServedAndUseTheContextAskedFor() throws IOException {
        Path one = file("one/config", """
                current-context: a
                contexts:
                - {name: a, context: {cluster: c, user: u}}
                users:
                - {name: u, user: {tokenFile: token}}
                """);
        file("one/token", "one");
        Path two = file("two/config", """
                current-context: b
                contexts:
                - {name: a, context: {cluster: other}}
                - {name: b, context: {cluster: d}}
                clusters:
                - {name: c, cluster: {server: 'https://c'}}
                - {name: d, cluster: {server: 'https://d'}}
                users:
                - {name: u, user: {token: two}}
                """);
        environment.put("KUBECONFIG", one + ":" + two);

        UpstreamTarget current = load();
        UpstreamTarget asked = load("--context", "b");

        assertThat(current).hasToString("https://c");
        assertThat(current.credentials().authorization()).contains("Bearer one");
        assertThat(asked).hasToString("https://d");
        assertThat(asked.credentials().authorization()).isEmpty();
    }

    @Test
    void shouldReadJsonToo() throws IOException {
        Path json = file("kubeconfig.json", """
                {"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "c"}}],
                 "clusters": [{"name": "c", "cluster": {"server": "https://json"}}]}
                """);

        assertThat(load("--kubeconfig", json.toString())).hasToString("https://json");
    }

    @Test
    void shouldReadTokensAndPasswords() throws IOException {
        file("token", "from-file");
        String server = "server: 'https://a'";

        assertThat(loadKubeconfig(server, "token: 0123").credentials().authorization())
                .as("as it stands there, not as a number")
                .contains("Bearer 0123");
        assertThat(loadKubeconfig(server, "token: abc, tokenFile: token")
                        .credentials()
                        .authorization())
                .contains("Bearer from-file");
        assertThat(loadKubeconfig(server, "username: me, password: pw")
                        .credentials()
                        .authorization())
                .contains("Basic bWU6cHc=");
        assertThat(loadKubeconfig(server, "").credentials().authorization()).isEmpty();
    }

    @Test
    void shouldReadCertificatesAsDataAndAsFilesBesideTheKubeconfig() throws Exception {
        file("ca.pem", certificates.ca());
        file("client.pem", certificates.certificate("client"));
        file("client.key", certificates.key("client"));

        UpstreamTarget files = loadKubeconfig(
                "server: 'https://a', certificate-authority: ca.pem",
                "client-certificate: client.pem, client-key: client.key");
        UpstreamTarget data = loadKubeconfig(
                "server: 'https://a', certificate-authority-data: "
                        + UpstreamTargetCertificates.base64(certificates.ca()),
                "client-certificate-data: " + UpstreamTargetCertificates.base64(certificates.certificate("client"))
                        + ", client-key-data: " + UpstreamTargetCertificates.base64(certificates.key("client")));

        assertThat(files.sslOptions().getTrustOptions()).isNotNull();
        assertThat(files.sslOptions().getKeyCertOptions()).isNotNull();
        assertThat(data.sslOptions().getTrustOptions()).isNotNull();
        assertThat(data.sslOptions().getKeyCertOptions()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "server: 'https://a', certificate-authority: gone.pem | ``                    | certificate-authority: | gone.pem does not exist",
                "server: 'https://a', certificate-authority-data: '%' | ``                    | certificate-authority-data | is not base64",
                "server: 'https://a', certificate-authority-data: YQ==| ``                    | certificate-authority | no valid certificate",
                "server: 'https://a', proxy-url: 'http://p'           | ``                    | proxy-url | not supported",
                "insecure-skip-tls-verify: true                       | ``                    | context 'here' | no 'server'",
                "server: 'a b'                                        | ``                    | 'a b' | http:// or https:// is missing",
                "server: 'http://a b'                                 | ``                    | 'http://a b' | is not a URL",
                "server: 'ftp://a'                                    | ``                    | 'ftp://a' | is not an http or https URL",
                "server: 'a:6443'                                     | ``                    | 'a:6443' | http:// or https:// is missing",
                "server: 'https://a'                                  | client-key-data: '%'  | client-key-data | is not base64",
                "server: 'https://a'                                  | as-uid: x             | 'as-uid' | not supported",
                "server: 'https://a'                                  | as-user-extra: {a: [b]} | 'as-user-extra' | not supported",
                "server: 'https://a'                                  | as: jane              | 'as' | not supported",
                "server: 'https://a'                                  | as-groups: [a]        | 'as-groups' | not supported",
                "server: 'https://a'                                  | auth-provider: {name: gcp} | 'auth-provider' | not supported",
                "server: 'https://a'                                  | tokenFile: gone       | tokenFile: | gone does not exist",
                "server: 'https://a'                                  | token: 'a b'          | token | no token",
                "server: 'https://a'                                  | client-key: k         | client-key: | k does not exist",
                "server: 'https://a'                                  | client-certificate-data: YQ== | client-certificate | without a client-key",
                "server: 'https://a'                                  | client-certificate-data: YQ==, client-key-data: YQ== | client-certificate | no valid certificate",
                "server: 'https://a'                                  | exec: {apiVersion: v1} | 'exec' | no 'command'",
                "server: 'https://a'                                  | exec: {command: sh}   | plugin 'sh' | no 'apiVersion'",
                "server: 'https://a'                                  | exec: {command: /no/such, apiVersion: v1, installHint: get it} | plugin '/no/such' | (get it)",
            })
    void shouldRefuseWhatItCannotHonourAndNameTheFile(String cluster, String user, String what, String why) {
        assertRefused(() -> loadKubeconfig(cluster, user), "--kubeconfig: " + folder.resolve("kubeconfig"), what, why);
    }

    @Test
    void shouldRefuseAKeyThatIsNone() throws Exception {
        String certificate = UpstreamTargetCertificates.base64(certificates.certificate("client"));
        String noKey =
                UpstreamTargetCertificates.base64("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");

        assertRefused(
                () -> loadKubeconfig(
                        "server: 'https://a'",
                        "client-certificate-data: " + certificate + ", client-key-data: " + noKey),
                "client certificate and key: cannot be used");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`{}`                                         | no current-context",
                "`[1]`                                        | is not a YAML mapping",
                "`current-context: [`                         | is not valid YAML",
                "`{users: [{name: u, user: hush}]}`           | is not a kubeconfig: wrong at users.user",
                "`clusters: c`                                | is not a kubeconfig: wrong at clusters",
                "``                                           | no current-context",
                "`{users: [null], clusters: null}`            | no current-context",
                "`current-context: x`                         | context 'x' does not exist; there is: none",
                "`{current-context: x, contexts: [{name: y}, {name: z}]}` | context 'x' does not exist; there is: y, z",
                "`{current-context: x, contexts: [{name: x}]}`| context 'x' names no cluster",
                "`{current-context: x, contexts: [{name: x, context: {cluster: c}}]}` | names the cluster 'c', which does not exist",
                "`{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: 'http://a'}}]}`"
                        + " | names the user 'u', which does not exist; there is: none",
            },
            quoteCharacter = '`')
    void shouldRefuseAKubeconfigThatLeadsNowhere(String yaml, String message) throws IOException {
        Path file = file("kubeconfig", yaml);

        assertRefused(() -> load("--kubeconfig", file.toString()), "--kubeconfig: " + file, message);
        assertThatThrownBy(() -> load("--kubeconfig", file.toString()))
                .message()
                .doesNotContain("hush");
    }

    @Test
    void shouldTakeWhatIsEmptyForAbsent() throws IOException {
        UpstreamTarget target = loadKubeconfig(
                "server: 'https://a', certificate-authority: '', certificate-authority-data: '', tls-server-name: ''",
                "client-certificate: '', client-key: '', tokenFile: '', token: '', username: ''");

        assertThat(target.sslOptions().getTrustOptions()).isNull();
        assertThat(target.sslOptions().getKeyCertOptions()).isNull();
        assertThat(target.tlsName()).isEqualTo("a");
        assertThat(target.credentials().authorization()).isEmpty();
    }

    @Test
    void shouldTakeNothingFromSystemPropertiesThatTheKubernetesClientKnows() throws IOException {
        Map<String, String> properties = Map.of(
                "kubernetes.master", "https://elsewhere",
                "kubernetes.auth.token", "other",
                "kubernetes.trust.certificates", "true",
                "kubernetes.certs.ca.file", "/no/such");
        properties.forEach(System::setProperty);
        try {
            UpstreamTarget target = loadKubeconfig("server: 'https://a'", "");

            assertThat(target).hasToString("https://a");
            assertThat(target.sslOptions().isTrustAll()).isFalse();
            assertThat(target.sslOptions().getTrustOptions()).isNull();
            assertThat(target.credentials().authorization()).isEmpty();
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
    }

    @Test
    void shouldRefuseAKubeconfigThatIsNotThere() {
        assertRefused(
                () -> load("--kubeconfig", folder.resolve("gone").toString()), "--kubeconfig: ", "gone does not exist");
    }

    @Test
    void shouldNeverShowACredential() throws IOException {
        Path text = file("token", "top secret");

        assertThatThrownBy(() -> load("--upstream=http://a", "--upstream-token-file=" + text))
                .message()
                .doesNotContain("top", "secret");
        assertThat(loadKubeconfig("server: 'https://a'", "token: hush")
                        .credentials()
                        .current())
                .asString()
                .doesNotContain("hush");
    }

    // ---- plugins

    private String plugin(String script) throws IOException {
        Path file = file("bin/plugin", "#!/bin/sh\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return "exec: {command: ./bin/plugin, args: ['a b', '$HOME'], apiVersion: client.authentication.k8s.io/v1,"
                + " provideClusterInfo: true, env: [{name: EXTRA, value: more}]}";
    }

    private static String credential(String status) {
        return "cat <<'END'\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{"
                + status + "}}\nEND\n";
    }

    @Test
    void shouldRunAPluginThatStandsBesideTheKubeconfig() throws Exception {
        String user = plugin("printf '%s|' \"$@\" \"$EXTRA\" \"$KUBERNETES_EXEC_INFO\" > '" + folder
                + "/called'; echo noise >&2\n" + credential("\"token\": \"t1\""));

        UpstreamTarget target = loadKubeconfig("server: 'https://a', tls-server-name: b", user);

        assertThat(target.credentials().authorization()).contains("Bearer t1");
        assertThat(Files.readString(folder.resolve("called")))
                .isEqualTo(
                        "a b|$HOME|more|{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                                + "\"spec\":{\"interactive\":false,\"cluster\":{\"server\":\"https://a\",\"tls-server-name\":\"b\"}}}|");
    }

    @Test
    void shouldTakeAClientCertificateFromAPlugin() throws Exception {
        String user = plugin(credential("\"clientCertificateData\": \""
                + certificates.certificate("client").replace("\n", "\\n") + "\", \"clientKeyData\": \""
                + certificates.key("client").replace("\n", "\\n") + "\""));

        UpstreamTarget target = loadKubeconfig("server: 'https://a'", user);

        assertThat(target.credentials().authorization()).isEmpty();
        assertThat(target.sslOptions().getKeyCertOptions()).isNotNull();
    }

    @Test
    void shouldAskAPluginAgainBeforeWhatItGaveExpires() throws Exception {
        Path kubeconfig = kubeconfig(
                "server: 'https://a'",
                plugin(credential("\"token\": \"t\", \"expirationTimestamp\": \"2020-01-01T00:00:00Z\"")));
        UpstreamCredentialsKubeconfig source = new UpstreamCredentialsKubeconfig(new UpstreamTargetKubeconfig(
                "--kubeconfig", java.util.List.of(kubeconfig), java.util.Optional.empty()));

        source.load();
        boolean expired = source.isStale();
        plugin(credential("\"token\": \"t\", \"expirationTimestamp\": \"2999-01-01T00:00:00+01:00\""));
        source.load();

        assertThat(expired).isTrue();
        assertThat(source.isStale()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "exit 3                                        | failed with exit code 3",
                "echo hush                                     | printed no JSON object",
                "echo '{\"kind\":\"ExecCredential\"}'          | printed no ExecCredential of client.authentication.k8s.io/v1",
                "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"}' | printed no status",
                "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{}}' | gave neither",
                "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"a\",\"expirationTimestamp\":\"soon\"}}' | 'soon' is no time",
            })
    void shouldRefuseAPluginThatGivesNoCredential(String script, String message) throws IOException {
        String user = plugin(script + "\n");

        assertRefused(
                () -> loadKubeconfig("server: 'https://a'", user), "credential plugin './bin/plugin': " + message);
        assertThatThrownBy(() -> loadKubeconfig("server: 'https://a'", user))
                .message()
                .doesNotContain("hush");
    }
}
