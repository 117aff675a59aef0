package io.watchfan.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AllowedHostsTest {
    private final AllowedHosts hosts = new AllowedHosts(new HostPort("127.0.0.1", 8001), List.of("Watch.Fan"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:1",
                "127.0.0.1",
                "127.0.0.1:8001",
                "127.8.9.10",
                "[::1]:8001",
                "::1",
                "watch.fan:8001",
                "watch.fan."
            })
    void shouldAcceptWhatLeadsHereByRight(String header) {
        assertThat(hosts.accepts(header)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "10.0.0.1",
                "[2001:db8::1]:80",
                "0.0.0.0",
                "",
                ":80",
                "127.1:80",
                "999.0.0.1",
                "[::1].evil.example",
                "localhost:80@evil.example",
                "localhost:80:80"
            })
    void shouldRefuseWhatAForeignNameMayHaveLedHere(String header) {
        assertThat(hosts.accepts(header)).isFalse();
    }

    @Test
    void shouldAcceptAddressesWhereItListensOnEveryAddress() {
        AllowedHosts everywhere = new AllowedHosts(new HostPort("0.0.0.0", 80), List.of());

        assertThat(everywhere.accepts("10.0.0.1:80")).isTrue();
        assertThat(everywhere.accepts("[2001:db8::1]")).isTrue();
        assertThat(everywhere.accepts("evil.example")).isFalse();
    }

    @Test
    void shouldAcceptARequestWithoutTheHeaderSinceNoBrowserSendsOne() {
        assertThat(hosts.accepts(null)).isTrue();
    }
}
