package io.watchfan.proxy.config;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which values of a request's Host header are accepted. A page of some website can make a browser send requests to a
 * loopback listener under a name that its owner points there (DNS rebinding); the Host header then still has that name.
 *
 * <p>Accepted are {@code localhost}, loopback addresses, the host of the listener, the names allowed by the operator,
 * and, where the listener stands for every address, any IP address: an address cannot be rebound.
 */
public final class AllowedHosts {
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(?:\\[(?<literal>[^\\]]*)\\]|(?<name>[^:\\[\\]@/]*))(?::[0-9]*)?"
                    + "|(?<bare>[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*)");

    private final Set<String> names;
    private final boolean anyAddress;

    AllowedHosts(HostPort listen, List<String> extra) {
        Set<String> all = new HashSet<>();
        all.add("localhost");
        all.add(normal(listen.host()));
        extra.forEach(name -> all.add(normal(name)));
        this.names = Set.copyOf(all);
        this.anyAddress = listen.isWildcard();
    }

    /**
     * Whether a request with this Host header may be answered.
     *
     * @param hostHeader name or address, with or without a port; null (a request without the header, which no browser
     *     sends) is accepted
     */
    public boolean accepts(String hostHeader) {
        if (hostHeader == null) {
            return true;
        }
        String host = normal(withoutPort(hostHeader));
        return names.contains(host) || IpLiterals.isLoopback(host) || (anyAddress && IpLiterals.isLiteral(host));
    }

    /** The host of a header; an empty text when it is none with, at most, a port behind it. */
    private static String withoutPort(String header) {
        Matcher matcher = HOST_AND_PORT.matcher(header.strip());
        if (!matcher.matches()) {
            return "";
        }
        return Stream.of("literal", "name", "bare")
                .map(matcher::group)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("");
    }

    private static String normal(String host) {
        String lower = host.strip().toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    @Override
    public String toString() {
        return names.toString();
    }
}
