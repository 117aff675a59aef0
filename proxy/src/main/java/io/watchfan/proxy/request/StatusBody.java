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
    private static final String TOO_OLD_TO_CONTINUE =
            "The provided continue parameter is too old to display a consistent list result. You can start a new list "
                    + "without the continue parameter, or use the continue token in this response to retrieve the "
                    + "remainder of the results. Continuing with the provided token results in an inconsistent list - "
                    + "objects that were created, modified, or deleted between the time the first chunk was returned "
                    + "and now may show up in the list.";
    private static final String ROUTED_TYPES =
            "application/json, application/yaml, application/vnd.kubernetes.protobuf, "
                    + "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
    private static final String LIST_TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    private static final String WATCH_TYPES =
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
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
    private final String continueToken;
    private final boolean typed;
    private final int retryAfterSeconds;

    private StatusBody(int code, String reason, String message, Details details) {
        this(code, reason, message, details, "", true, details == null ? 0 : details.retryAfterSeconds);
    }

    private StatusBody(
            int code,
            String reason,
            String message,
            Details details,
            String continueToken,
            boolean typed,
            int retryAfterSeconds) {
        this.code = code;
        this.reason = reason;
        this.message = message;
        this.details = details;
        this.continueToken = continueToken;
        this.typed = typed;
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

    /** 401 (W-293). */
    public static StatusBody unauthorized() {
        return new StatusBody(401, "Unauthorized", "Unauthorized", null);
    }

    /**
     * 403 for a resource (W-294). To be sent with {@code X-Content-Type-Options: nosniff} (W-292).
     *
     * @param user the name as authenticated
     * @param verb such as {@code watch}
     * @param gvr what was asked for
     * @param subresource null for none
     * @param namespace null when cluster-wide
     * @param name null for a collection that is not narrowed to one name (W-005)
     * @param why the authorizer's reason; null or empty for none
     */
    public static StatusBody forbidden(
            String user,
            String verb,
            GroupVersionResource gvr,
            String subresource,
            String namespace,
            String name,
            String why) {
        String resource = subresource == null ? gvr.resource() : gvr.resource() + "/" + subresource;
        String where = namespace == null ? "at the cluster scope" : "in the namespace " + GoText.quote(namespace);
        String what = "User " + GoText.quote(user) + " cannot " + verb + " resource " + GoText.quote(resource)
                + " in API group " + GoText.quote(gvr.group()) + " " + where;
        String named = name == null ? "" : " " + GoText.quote(name);
        String message = gvr.groupResource() + named + " is forbidden: " + sanitize(what) + because(why);
        return new StatusBody(
                403, "Forbidden", message, detailsOf(name == null ? "" : name, gvr.group(), gvr.resource()));
    }

    /** 403 for a path that is no resource's (W-294); parameters as in {@link #forbidden}. */
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

    /** 404 for a resource that a built-in group does not have (W-295). */
    public static StatusBody resourceNotFound() {
        return new StatusBody(404, "NotFound", "the server could not find the requested resource", EMPTY_DETAILS);
    }

    /** 405 for a method that the path does not have (W-297). */
    public static StatusBody methodNotAllowed() {
        return new StatusBody(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
                EMPTY_DETAILS);
    }

    /** 405 for a verb that the resource does not have, such as {@code watch} (W-010); {@code group} as in notFound. */
    public static StatusBody methodNotSupported(String verb, String resource, String group) {
        String message =
                verb + " is not supported on resources of kind " + GoText.quote(groupResource(resource, group));
        return new StatusBody(405, "MethodNotAllowed", message, detailsOf("", group, resource));
    }

    /** 406 of the router of built-in kinds, for no type that it knows (W-115, first form); send it {@link #pretty}. */
    public static StatusBody notAcceptableToRouter() {
        String message = "406: Not Acceptable\n\nAvailable representations: " + ROUTED_TYPES;
        return new StatusBody(406, "NotAcceptable", message, EMPTY_DETAILS);
    }

    /** 406 of a LIST or GET when each clause is refused (W-115, second form); send it {@link #pretty}. */
    public static StatusBody notAcceptable() {
        return new StatusBody(406, "NotAcceptable", "only the following media types are accepted: " + LIST_TYPES, null);
    }

    /** 406 of a WATCH in a type that cannot be streamed (W-116). */
    public static StatusBody notAcceptableForWatch() {
        return new StatusBody(
                406, "NotAcceptable", "only the following media types are accepted: " + WATCH_TYPES, null);
    }

    /**
     * 406 for the transform of one object asked of a list, or the other way round (W-118).
     *
     * @param transform {@code PartialObjectMetadata} or {@code PartialObjectMetadataList}
     * @param isList whether what was found is a list
     * @param goType the API server's type of it, such as {@code *core.PodList}
     */
    public static StatusBody notAcceptableTransform(String transform, boolean isList, String goType) {
        String message = "you requested " + transform + ", but the requested object is " + (isList ? "a" : "not a")
                + " list (" + goType + ")";
        return new StatusBody(406, "NotAcceptable", message, null);
    }

    /** 410: a LIST at a version that is no more to be had (W-069). */
    public static StatusBody expired() {
        return expired("The resourceVersion for the provided list is too old.");
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

    /** 410 for an expired continue token, with the one to go on with in {@code metadata.continue} (W-073). */
    public static StatusBody expiredContinue(ContinueToken next) {
        return new StatusBody(410, "Expired", TOO_OLD_TO_CONTINUE, null, next.encode(), true, 0);
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

    /** 429 of a cache that is not filled yet (W-077); {@code retryAfterSeconds} at least 1. */
    public static StatusBody storageInitializing(int retryAfterSeconds) {
        return tooManyRequests("storage is (re)initializing", retryAfterSeconds);
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

    /** 500 as an ERROR event has it (W-075). */
    public static StatusBody internalErrorOfWatch(String text) {
        return new StatusBody(500, "InternalError", text, null);
    }

    /** 500 without a reason: what becomes of an error that has no Status (W-305). */
    public static StatusBody unknownError(String text) {
        return new StatusBody(500, "", text, null);
    }

    /** 500 when the upstream cannot be asked now (W-303); {@code verb} such as {@code list}. */
    public static StatusBody serverTimeout(String verb, String resource, String group, int retryAfterSeconds) {
        String message = "The " + verb + " operation against " + groupResource(resource, group)
                + " could not be completed at this time, please try again.";
        Details details = new Details(verb, group, resource, List.of(), retryAfterSeconds);
        return new StatusBody(500, "ServerTimeout", message, details);
    }

    /** 503; {@code retryAfterSeconds} 0 for no advice and no details. */
    public static StatusBody serviceUnavailable(String message, int retryAfterSeconds) {
        return new StatusBody(
                503, "ServiceUnavailable", message, retryAfterSeconds == 0 ? null : retryAfter(retryAfterSeconds));
    }

    /** 503 while the process ends (W-213): {@code Retry-After: 1} as a header, but not in the body. */
    public static StatusBody shuttingDown(String message) {
        return new StatusBody(503, "ServiceUnavailable", message, null, "", true, 1);
    }

    /** 504; the message is put after {@code Timeout: }, {@code retryAfterSeconds} 0 for no advice. */
    public static StatusBody gatewayTimeout(String message, int retryAfterSeconds) {
        return new StatusBody(504, "Timeout", "Timeout: " + message, retryAfter(retryAfterSeconds));
    }

    /** 504 for a LIST or GET that takes too long (W-209): the one Status without kind and apiVersion. */
    public static StatusBody requestTimeout() {
        String message = "Timeout: request did not complete within the allotted timeout";
        return new StatusBody(504, "Timeout", message, EMPTY_DETAILS, "", false, 0);
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
        WireWriter list = new WireWriter().text(1, "").text(2, "").text(3, continueToken);
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
        json.begin('{');
        if (typed) {
            json.name("kind").value("Status").name("apiVersion").value("v1");
        }
        json.name("metadata").begin('{').member("continue", continueToken).end('}');
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
