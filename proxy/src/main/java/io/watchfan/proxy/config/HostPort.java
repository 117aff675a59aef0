package io.watchfan.proxy.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address to listen on.
 *
 * @param host a name or an IP address, without the brackets of IPv6
 * @param port 0 to 65535; 0 lets the system choose
 */
public record HostPort(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([^\\]]+)\\]|([^:\\[\\]]*)):([0-9]{1,5})");

    /** Checks the ranges. */
    public HostPort {
        if (host.isEmpty() || port < 0 || port > 65535) {
            throw new IllegalArgumentException("not an address: '" + host + "', port " + port);
        }
    }

    /**
     * Reads {@code HOST:PORT} or {@code [IPV6]:PORT}.
     *
     * @throws IllegalArgumentException with a message that says what is wrong
     */
    public static HostPort parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not HOST:PORT");
        }
        String host = form.group(1) != null ? form.group(1) : form.group(2);
        if (host.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + text + "' names no host (0.0.0.0:" + form.group(3) + " is every IPv4 address)");
        }
        int port = Integer.parseInt(form.group(3));
        if (port > 65535) {
            throw new IllegalArgumentException("'" + text + "': the port is above 65535");
        }
        return new HostPort(host, port);
    }

    /** Whether only this machine can connect to it. A name other than localhost is never taken for loopback. */
    public boolean isLoopback() {
        return IpLiterals.isLoopback(host) || host.equalsIgnoreCase("localhost");
    }

    /** Whether there is such a host. Blocks while a name service is asked. */
    boolean isKnown() {
        try {
            return InetAddress.getByName(host) != null;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Whether it stands for every address of the machine. */
    public boolean isWildcard() {
        return IpLiterals.isWildcard(host);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
