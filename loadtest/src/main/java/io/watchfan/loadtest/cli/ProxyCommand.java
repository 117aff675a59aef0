package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.process.CommandLine;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Which command starts the proxy. */
final class ProxyCommand {
    static final String VARIABLE = "WATCHFAN_PROXY_COMMAND";
    private static final String HOME_PROPERTY = "watchfan.home";

    private ProxyCommand() {}

    /**
     * The words of the command.
     *
     * @param option what the caller said; null for nothing
     */
    static List<String> words(String option, CommandSpec spec) {
        String command = option != null ? option : System.getenv(VARIABLE);
        if (command != null && !command.isBlank()) {
            try {
                return CommandLine.split(command);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), "--proxy-command: " + e.getMessage(), e);
            }
        }
        String home = System.getProperty(HOME_PROPERTY);
        if (home == null) {
            throw new ParameterException(
                    spec.commandLine(), "no proxy to start: give --proxy-command or set " + VARIABLE);
        }
        return List.of(Path.of(home, "watchfan").toString(), "proxy");
    }
}
