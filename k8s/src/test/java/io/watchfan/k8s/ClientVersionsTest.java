package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The README's table of clients, which must name the versions that are tested. */
class ClientVersionsTest {
    private static final Path ROOT = Checkout.MODULE.resolveSibling("README.md").getParent();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client-go          | k8s/e2e/clients/go/go.mod              | k8s.io/client-go v([0-9.]+)
            kubectl            | k8s/e2e/controlplane/go.mod            | k8s.io/kubernetes v([0-9.]+)
            fabric8            | pom.xml                                | kubernetes-client-bom</artifactId>\\s*<version>([0-9.]+)
            official Java      | pom.xml                                | <artifactId>client-java</artifactId>\\s*<version>([0-9.]+)
            official JavaScript| k8s/e2e/clients/js/package.json        | @kubernetes/client-node@([0-9.]+)
            official Python    | k8s/e2e/clients/python/requirements.txt| (?m)^kubernetes==([0-9.]+)
            kube-rs            | k8s/e2e/clients/rust/Cargo.lock        | name = "kube"\\s*version = "([0-9.]+)"
            """)
    void shouldNameTheVersionsThatAreTested(String client, String file, String pattern) throws IOException {
        List<String> versions = new ArrayList<>();
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(ROOT.resolve(file)));
        while (matcher.find()) {
            versions.add(matcher.group(1));
        }
        assertThat(versions).as(file).isNotEmpty();

        List<String> rows = Files.readAllLines(ROOT.resolve("README.md")).stream()
                .filter(line -> line.matches("[|] " + client + "\\b.*"))
                .toList();

        assertThat(rows)
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.split("[|]", -1)[2]).contains(versions));
    }
}
