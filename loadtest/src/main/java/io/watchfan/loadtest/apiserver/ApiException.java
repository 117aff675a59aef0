package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A request that is answered with a {@code Status}. Made for control flow: it has no stack trace. */
final class ApiException extends RuntimeException {
    final int code;
    final String reason;
    final ObjectNode details;
    final ObjectNode metadata;

    ApiException(int code, String reason, String message) {
        this(code, reason, message, null, null);
    }

    private ApiException(int code, String reason, String message, ObjectNode details, ObjectNode metadata) {
        super(message, null, false, false);
        this.code = code;
        this.reason = reason;
        this.details = details;
        this.metadata = metadata;
    }

    static ApiException badRequest(String message) {
        return new ApiException(400, "BadRequest", message);
    }

    static ApiException notFound() {
        return new ApiException(
                404, "NotFound", "the server could not find the requested resource", ObjectJson.object(), null);
    }

    static ApiException notFound(ResourceType type, String name) {
        return named(404, "NotFound", type, name, type.qualified() + " \"" + name + "\" not found");
    }

    static ApiException alreadyExists(ResourceType type, String name) {
        return named(409, "AlreadyExists", type, name, type.qualified() + " \"" + name + "\" already exists");
    }

    static ApiException conflict(ResourceType type, String name) {
        return named(
                409,
                "Conflict",
                type,
                name,
                "Operation cannot be fulfilled on " + type.qualified() + " \"" + name
                        + "\": the object has been modified; please apply your changes to the latest version and try"
                        + " again");
    }

    static ApiException methodNotAllowed() {
        return new ApiException(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
                ObjectJson.object(),
                null);
    }

    static ApiException tooOld(long version, long oldest) {
        return new ApiException(410, "Expired", "too old resource version: " + version + " (" + oldest + ")");
    }

    static ApiException listTooOld() {
        return new ApiException(410, "Expired", "The resourceVersion for the provided list is too old.");
    }

    /** The continue token's version is gone; the given one goes on inconsistently. */
    static ApiException continueTooOld(String token) {
        ObjectNode metadata = ObjectJson.object();
        metadata.put("continue", token);
        return new ApiException(
                410,
                "Expired",
                "The provided continue parameter is too old to display a consistent list result. You can start a new"
                        + " list without the continue parameter, or use the continue token in this response to"
                        + " retrieve the remainder of the results. Continuing with the provided token results in an"
                        + " inconsistent list - objects that were created, modified, or deleted between the time the"
                        + " first chunk was returned and now may show up in the list.",
                null,
                metadata);
    }

    static ApiException tooLarge(long version, long current) {
        ObjectNode details = ObjectJson.object();
        ObjectNode cause = details.putArray("causes").addObject();
        cause.put("reason", "ResourceVersionTooLarge");
        cause.put("message", "Too large resource version");
        details.put("retryAfterSeconds", 1);
        return new ApiException(
                504,
                "Timeout",
                "Timeout: Too large resource version: " + version + ", current: " + current,
                details,
                null);
    }

    /** For now there is no answer; {@code retryAfterSeconds} is 0 where nothing is said of when there will be one. */
    static ApiException unavailable(int code, String reason, int retryAfterSeconds) {
        ObjectNode details = ObjectJson.object();
        if (retryAfterSeconds > 0) {
            details.put("retryAfterSeconds", retryAfterSeconds);
        }
        return new ApiException(code, reason, "the server does not answer this for now", details, null);
    }

    /** Options that do not go together, as a 422 with one cause. */
    static ApiException invalidOption(String causeReason, String field, String body) {
        ObjectNode details = ObjectJson.object();
        details.put("group", "meta.k8s.io");
        details.put("kind", "ListOptions");
        ObjectNode cause = details.putArray("causes").addObject();
        cause.put("reason", causeReason);
        cause.put("message", body);
        cause.put("field", field);
        return new ApiException(
                422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: " + field + ": " + body, details, null);
    }

    static ApiException forbiddenOption(String field, String text) {
        return invalidOption("FieldValueForbidden", field, "Forbidden: " + text);
    }

    private static ApiException named(int code, String reason, ResourceType type, String name, String message) {
        ObjectNode details = ObjectJson.object();
        details.put("name", name);
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        details.put("kind", type.plural());
        return new ApiException(code, reason, message, details, null);
    }

    /** Seconds for a {@code Retry-After} header; 0 for none. */
    int retryAfterSeconds() {
        return details == null ? 0 : details.path("retryAfterSeconds").asInt();
    }

    /** The {@code Status}, in the API server's key order, without a newline. */
    byte[] status() {
        ObjectNode status = ObjectJson.object();
        status.put("kind", "Status");
        status.put("apiVersion", "v1");
        status.set("metadata", metadata == null ? ObjectJson.object() : metadata);
        status.put("status", "Failure");
        status.put("message", getMessage());
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        if (details != null) {
            status.set("details", details);
        }
        status.put("code", code);
        return ObjectJson.bytes(status);
    }
}
