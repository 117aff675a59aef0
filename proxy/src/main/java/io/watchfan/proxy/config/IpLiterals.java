package io.watchfan.proxy.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** IP addresses as text. Never asks a name service. */
final class IpLiterals {
    private static final Pattern IPV4 = Pattern.compile("(?:[0-9]{1,3}\\.){3}[0-9]{1,3}");

    private IpLiterals() {}

    /** Whether {@code host} is an IP address (IPv6 without brackets). */
    static boolean isLiteral(String host) {
        return parse(host) != null;
    }

    static boolean isLoopback(String host) {
        InetAddress address = parse(host);
        return address != null && address.isLoopbackAddress();
    }

    static boolean isWildcard(String host) {
        InetAddress address = parse(host);
        return address != null && address.isAnyLocalAddress();
    }

    private static InetAddress parse(String host) {
        if (host.indexOf(':') < 0 && !IPV4.matcher(host).matches()) {
            return null;
        }
        try {
            // With a colon or in dotted form this is parsed and never looked up.
            return InetAddress.getByName(host.indexOf(':') >= 0 ? "[" + host + "]" : host);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
