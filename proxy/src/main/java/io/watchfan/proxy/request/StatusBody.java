package io.watchfan.proxy.request;

import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A failed {@code metav1.Status}, byte for byte as the API server writes it (W-290): keys in the order kind, apiVersion,
 * metadata, status, message, reason, details, code; empty ones left out; HTML characters escaped as Go does.
 *
 * <p>{@link #retryAfterSeconds} is what the header {@code Retry-After} must say (W-291, W-264).
 */
public final class StatusBody {
    private static final Envelope ENVELOPE = new Envelope("v1", "Status");
    private static final Details EMPTY_DETAILS = new Details("", "", "", List.of(), 0);

    /**
     * One of {@code details.causes}.
     *
     * @param reason such as {@code FieldValueForbidden}; empty to leave it out
     * @param message empty to leave it out
     * @param field the option or field that is wrong; empty to leave it out
     */
    public record Cause(String reason, String message, String field) {
        /** An option that may not be given like this. */
        static Cause forbidden(String field, String text) {
            return new Cause("FieldValueForbidden", "Forbidden: " + text, field);
        }

        /** An option whose value is none of {@code supported}, which comes as it is to be shown. */
        static Cause notSupported(String field, String value, String supported) {
            String message = "Unsupported value: " + GoText.jsonQuote(value) + ": supported values: " + supported;
            return new Cause("FieldValueNotSupported", message, field);
        }
    }

    private record Details(String name, String group, String kind, List<Cause> causes, int retryAfterSeconds) {}

    private final int code;
    private final String reason;
    private final String message;
    private final Details details;
    private final int retryAfterSeconds;

    private StatusBody(int code, String reason, String message, Details details) {
        this(code, reason, message, details, details == null ? 0 : details.retryAfterSeconds);
    }

    private StatusBody(int code, String reason, String message, Details details, int retryAfterSeconds) {
        this.code = code;
        this.reason = reason;
        this.message = message;
        this.details = details;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    private static Details retryAfter(int seconds) {
        return new Details("", "", "", List.of(), seconds);
    }

    private static Details detailsOf(String name, String group, String resource) {
        return new Details(name, group, resource, List.of(), 0);
    }

    private static String groupResource(String resource, String group) {
        return group.isEmpty() ? resource : resource + "." + group;
    }

    // ---- 4xx

    /** 400 with this whole message (W-310). */
    public static StatusBody badRequest(String message) {
        return new StatusBody(400, "BadRequest", message, null);
    }

    /**
     * 403 for a path (W-294).
     *
     * @param user the name as authenticated
     * @param verb such as {@code get}
     * @param why the authorizer's reason; null or empty for none
     */
    public static StatusBody forbiddenPath(String user, String verb, String path, String why) {
        String what = "User " + GoText.quote(user) + " cannot " + verb + " path " + GoText.quote(path);
        return new StatusBody(403, "Forbidden", "forbidden: " + sanitize(what) + because(why), EMPTY_DETAILS);
    }

    private static String because(String why) {
        return why == null || why.isEmpty() ? "" : ": " + why;
    }

    private static String sanitize(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** 404 for an object (W-298); {@code group} is empty for the core group. */
    public static StatusBody notFound(String resource, String group, String name) {
        String message = groupResource(resource, group) + " " + GoText.quote(name) + " not found";
        return new StatusBody(404, "NotFound", message, detailsOf(name, group, resource));
    }

    /** 405 for a method that the path does not have (W-297). */
    public static StatusBody methodNotAllowed() {
        return new StatusBody(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
                EMPTY_DETAILS);
    }

    /** 410 with this message; the reason is Expired, never Gone (W-074). */
    public static StatusBody expired(String message) {
        return new StatusBody(410, "Expired", message, null);
    }

    /** 410 of a WATCH from {@code resourceVersion} when {@code oldest} is the least to start from (W-067). */
    public static StatusBody tooOldResourceVersion(long resourceVersion, long oldest) {
        return expired("too old resource version: " + Long.toUnsignedString(resourceVersion) + " ("
                + Long.toUnsignedString(oldest) + ")");
    }

    /** 422 for options that may not be combined (section 1.3); at least one cause. */
    public static StatusBody invalidListOptions(List<Cause> causes) {
        List<String> texts = causes.stream()
                .map(cause -> cause.field + ": " + cause.message)
                .distinct()
                .toList();
        String all = texts.size() == 1 ? texts.get(0) : "[" + String.join(", ", texts) + "]";
        Details details = new Details("", "meta.k8s.io", "ListOptions", List.copyOf(causes), 0);
        return new StatusBody(422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: " + all, details);
    }

    /** 429 with this message; {@code retryAfterSeconds} at least 1, so that clients come again (W-264). */
    public static StatusBody tooManyRequests(String message, int retryAfterSeconds) {
        return new StatusBody(429, "TooManyRequests", message, retryAfter(retryAfterSeconds));
    }

    // ---- 5xx

    /** 500 as LIST and GET have it (W-302). */
    public static StatusBody internalError(String text) {
        Details details = new Details("", "", "", List.of(new Cause("", text, "")), 0);
        return new StatusBody(500, "InternalError", "Internal error occurred: " + text, details);
    }

    /** 500 without a reason: what becomes of an error that has no Status (W-305). */
    public static StatusBody unknownError(String text) {
        return new StatusBody(500, "", text, null);
    }

    /** 503; {@code retryAfterSeconds} 0 for no advice and no details. */
    public static StatusBody serviceUnavailable(String message, int retryAfterSeconds) {
        return new StatusBody(
                503, "ServiceUnavailable", message, retryAfterSeconds == 0 ? null : retryAfter(retryAfterSeconds));
    }

    /** 503 while the process ends (W-213): {@code Retry-After: 1} as a header, but not in the body. */
    public static StatusBody shuttingDown(String message) {
        return new StatusBody(503, "ServiceUnavailable", message, null, 1);
    }

    /** 504 for a version that is still to come (W-070, W-072); both are read as unsigned. */
    public static StatusBody tooLargeResourceVersion(long resourceVersion, long current) {
        Cause cause = new Cause("ResourceVersionTooLarge", "Too large resource version", "");
        String message = "Timeout: Too large resource version: " + Long.toUnsignedString(resourceVersion)
                + ", current: " + Long.toUnsignedString(current);
        return new StatusBody(504, "Timeout", message, new Details("", "", "", List.of(cause), 1));
    }

    // ---- what it yields

    /** The HTTP status code. */
    public int code() {
        return code;
    }

    /** The reason, such as {@code Expired}; empty when there is none. */
    public String reason() {
        return reason;
    }

    /** The message for people. */
    public String message() {
        return message;
    }

    /** The value of the header {@code Retry-After}; 0 when there must be none. */
    public int retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** The body in one line, with its LF. The array is the caller's. */
    public byte[] compact() {
        return bytes(write(false) + "\n");
    }

    /** The body indented by two, without a LF at the end (W-018). The array is the caller's. */
    public byte[] pretty() {
        return bytes(write(true));
    }

    /** The body as the client wants it: {@link #pretty} or {@link #compact}. */
    public byte[] body(boolean pretty) {
        return pretty ? pretty() : compact();
    }

    /** The body as protobuf, in its envelope. The array is the caller's. */
    public byte[] protobuf() {
        WireWriter list = new WireWriter().text(1, "").text(2, "").text(3, "");
        WireWriter status = new WireWriter()
                .message(1, list)
                .text(2, "Failure")
                .text(3, message)
                .text(4, reason);
        if (details != null) {
            status.message(5, protobuf(details));
        }
        return ENVELOPE.around(status.number(6, code).toBytes());
    }

    private static WireWriter protobuf(Details details) {
        WireWriter written =
                new WireWriter().text(1, details.name).text(2, details.group).text(3, details.kind);
        for (Cause cause : details.causes) {
            written.message(
                    4,
                    new WireWriter()
                            .text(1, cause.reason)
                            .text(2, cause.message)
                            .text(3, cause.field));
        }
        return written.number(5, details.retryAfterSeconds).text(6, "");
    }

    /** The ERROR event that carries this, always the last of its stream, with its LF (W-105). The array is the caller's. */
    public byte[] errorEventLine() {
        return bytes("{\"type\":\"ERROR\",\"object\":" + write(false) + "}\n");
    }

    /** The body in one line. */
    @Override
    public String toString() {
        return write(false);
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    private String write(boolean pretty) {
        JsonWriter json = new JsonWriter(pretty);
        json.begin('{').name("kind").value("Status").name("apiVersion").value("v1");
        json.name("metadata").begin('{').end('}');
        json.name("status").value("Failure").member("message", message).member("reason", reason);
        if (details != null) {
            json.name("details");
            write(details, json);
        }
        return json.name("code").value(code).end('}').toString();
    }

    private static void write(Details details, JsonWriter json) {
        json.begin('{')
                .member("name", details.name)
                .member("group", details.group)
                .member("kind", details.kind);
        if (!details.causes.isEmpty()) {
            json.name("causes").begin('[');
            for (Cause cause : details.causes) {
                json.element().begin('{').member("reason", cause.reason);
                json.member("message", cause.message)
                        .member("field", cause.field)
                        .end('}');
            }
            json.end(']');
        }
        if (details.retryAfterSeconds > 0) {
            json.name("retryAfterSeconds").value(details.retryAfterSeconds);
        }
        json.end('}');
    }

    /** Writes JSON as Go's encoder does, in one line or indented. Knows nothing of validity. */
    private static final class JsonWriter {
        private final StringBuilder out = new StringBuilder(256);
        private final boolean pretty;
        private int depth;

        JsonWriter(boolean pretty) {
            this.pretty = pretty;
        }

        JsonWriter begin(char bracket) {
            out.append(bracket);
            depth++;
            return this;
        }

        JsonWriter end(char bracket) {
            depth--;
            if (!isFirst()) {
                newLine();
            }
            out.append(bracket);
            return this;
        }

        JsonWriter element() {
            if (!isFirst()) {
                out.append(',');
            }
            newLine();
            return this;
        }

        JsonWriter name(String name) {
            element();
            GoText.appendJson(out, name);
            out.append(pretty ? ": " : ":");
            return this;
        }

        JsonWriter value(String text) {
            GoText.appendJson(out, text);
            return this;
        }

        JsonWriter value(int number) {
            out.append(number);
            return this;
        }

        JsonWriter member(String name, String text) {
            return text.isEmpty() ? this : name(name).value(text);
        }

        private boolean isFirst() {
            char last = out.charAt(out.length() - 1);
            return last == '{' || last == '[';
        }

        private void newLine() {
            if (pretty) {
                out.append('\n').append("  ".repeat(depth));
            }
        }

        @Override
        public String toString() {
            return out.toString();
        }
    }
}
