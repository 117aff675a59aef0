package io.watchfan.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What the commands say of themselves. */
class HelpTest {
    static Stream<CommandLine> commands() {
        return new CommandLine(LoadTestMain.class)
                .getSubcommands().values().stream()
                        .filter(command ->
                                !command.getCommandSpec().usageMessage().hidden());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldSayWhatEveryOptionIsAndItsDefault(CommandLine command) {
        // So wide that each option has one line.
        String help = command.setUsageHelpWidth(1000)
                .setUsageHelpLongOptionsMaxWidth(100)
                .getUsageMessage();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (option.hidden()) {
                continue;
            }
            assertThat(option.description()).as(option.longestName()).isNotEmpty();
            String line = help.lines()
                    .filter(text -> text.strip().matches("(-., )?" + option.longestName() + "([= ].*)?"))
                    .findFirst()
                    .orElseThrow();
            if (option.defaultValue() != null) {
                assertThat(line).endsWith(" (default " + option.defaultValue() + ").");
            }
        }
    }
}
