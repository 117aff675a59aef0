package io.watchfan.proxy.config;

/** What the operator gave cannot be used: one line that names the flag, file or value and says what is wrong with it. */
public final class UsageException extends RuntimeException {
    /** Exit code of a process that was called wrongly. */
    public static final int EXIT_CODE = 2;

    /** An exception whose message is {@code message} on one line. */
    public UsageException(String message) {
        super(oneLine(message), null, false, false);
    }

    private static String oneLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }
}
