package io.watchfan.loadtest.process;

import java.util.ArrayList;
import java.util.List;

/** Splits a command as a shell does in the simple cases: at blanks, except inside quotes. */
public final class CommandLine {
    private CommandLine() {}

    /**
     * The words of a command.
     *
     * @throws IllegalArgumentException when a quote is not closed, or there is no word
     */
    public static List<String> split(String command) {
        List<String> words = new ArrayList<>();
        StringBuilder word = null;
        char quote = 0;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
                word = word == null ? new StringBuilder() : word;
            } else if (Character.isWhitespace(c)) {
                if (word != null) {
                    words.add(word.toString());
                    word = null;
                }
            } else {
                word = (word == null ? new StringBuilder() : word).append(c);
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("a quote is not closed in: " + command);
        }
        if (word != null) {
            words.add(word.toString());
        }
        if (words.isEmpty()) {
            throw new IllegalArgumentException("an empty command");
        }
        return words;
    }
}
