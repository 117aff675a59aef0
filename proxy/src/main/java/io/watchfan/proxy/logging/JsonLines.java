package io.watchfan.proxy.logging;

import ch.qos.logback.classic.encoder.JsonEncoder;

/** Log lines as JSON whose {@code message} is what a reader of the text form sees, with the arguments in their places. */
public final class JsonLines extends JsonEncoder {
    /** Made by logback.xml. */
    public JsonLines() {
        setWithMessage(false);
        setWithArguments(false);
        setWithFormattedMessage(true);
    }

    /** The formatted message gets the name that readers of logs look for; logback's own is of the unformatted one. */
    @Override
    protected void appenderMember(StringBuilder line, String name, String value) {
        super.appenderMember(line, name.equals(FORMATTED_MESSAGE_ATTR_NAME) ? MESSAGE_ATTR_NAME : name, value);
    }
}
