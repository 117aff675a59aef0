package io.watchfan.loadtest.cli;

import java.net.InetSocketAddress;
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

    /** The address that {@code HOST:PORT} is. */
    static InetSocketAddress address(CommandSpec command, String option, String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new InetSocketAddress(
                    text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), option + " must be HOST:PORT: " + text, e);
        }
    }
}
