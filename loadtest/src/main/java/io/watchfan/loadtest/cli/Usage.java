package io.watchfan.loadtest.cli;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a command asks of its options. What is wrong is said in one line, and ends it with status 2. */
final class Usage {
    private Usage() {}

    /** Ends the command with {@code message} unless {@code condition} holds. */
    static void require(CommandSpec command, boolean condition, String message) {
        if (!condition) {
            throw new ParameterException(command.commandLine(), message);
        }
    }

    /** The {@code http} or {@code https} URL that {@code text} is. */
    static URI url(CommandSpec command, String option, String text) {
        require(command, text.contains("://"), option + " must begin with http:// or https://: " + text);
        try {
            URI url = new URI(text);
            boolean http = List.of("http", "https").contains(String.valueOf(url.getScheme()));
            require(command, http && url.getHost() != null, option + " must be an http or https URL: " + text);
            return url;
        } catch (URISyntaxException e) {
            throw new ParameterException(command.commandLine(), option + " is no URL: " + text, e);
        }
    }

    /** The address that {@code HOST:PORT} is. */
    static InetSocketAddress address(CommandSpec command, String option, String text) {
        int colon = text.lastIndexOf(':');
        try {
            InetSocketAddress address = new InetSocketAddress(
                    text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1)));
            require(command, !address.isUnresolved(), option + " names no host that there is: " + text);
            return address;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), option + " must be HOST:PORT: " + text, e);
        }
    }
}
