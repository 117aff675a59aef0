package io.watchfan.loadtest.apiserver;

/**
 * The options of a LIST or WATCH, defaulted and checked as the API server does. Immutable.
 *
 * @param watch whether it is a watch
 * @param resourceVersion the version asked for; 0 for any; {@link #UNSET}
 * @param match {@code resourceVersionMatch}; empty when unset
 * @param sendInitialEvents whether a watch begins with the state
 * @param bookmarks whether bookmarks are allowed
 * @param timeoutSeconds how long a watch may last; 0 when unset
 * @param limit page size; 0 for none
 * @param continueToken where the next page begins; empty when unset
 */
record ListOptions(
        boolean watch,
        long resourceVersion,
        String match,
        boolean sendInitialEvents,
        boolean bookmarks,
        long timeoutSeconds,
        long limit,
        String continueToken) {
    static final long UNSET = -1;

    private static final String MATCH = "resourceVersionMatch";
    private static final String NOT_OLDER_THAN = "NotOlderThan";

    static ListOptions parse(ApiRequest request, boolean watchPrefix) {
        boolean watch = request.flag("watch") || watchPrefix;
        String version = request.parameter("resourceVersion");
        String match = request.parameter(MATCH);
        boolean initialSet = request.has("sendInitialEvents");
        boolean initial = request.flag("sendInitialEvents");
        if (watch && (version.isEmpty() || version.equals("0")) && !initialSet && match.isEmpty()) {
            initialSet = true;
            initial = true;
            match = NOT_OLDER_THAN;
        }
        long timeoutSeconds = request.integer("timeoutSeconds");
        long limit = Math.max(0, request.integer("limit"));
        String token = request.parameter("continue");
        if (watch) {
            validateWatch(match, initialSet, token);
        } else {
            validateList(version, match, initialSet, token);
        }
        return new ListOptions(
                watch,
                parseVersion(version, watch),
                match,
                initial,
                request.flag("allowWatchBookmarks"),
                timeoutSeconds,
                limit,
                token);
    }

    private static void validateWatch(String match, boolean initialSet, String token) {
        if (initialSet && !match.equals(NOT_OLDER_THAN)) {
            throw ApiException.forbiddenOption(
                    MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!match.isEmpty() && !initialSet) {
            throw ApiException.forbiddenOption(
                    MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
        }
        if (!match.isEmpty() && !token.isEmpty()) {
            throw ApiException.forbiddenOption(MATCH, "resourceVersionMatch is forbidden when continue is provided");
        }
    }

    private static void validateList(String version, String match, boolean initialSet, String token) {
        if (initialSet) {
            throw ApiException.forbiddenOption("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
        if (!token.isEmpty() && !version.isEmpty() && !version.equals("0")) {
            throw ApiException.badRequest("specifying resource version is not allowed when using continue");
        }
        if (match.isEmpty()) {
            return;
        }
        if (version.isEmpty()) {
            throw ApiException.forbiddenOption(
                    MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        }
        if (!token.isEmpty()) {
            throw ApiException.forbiddenOption(MATCH, "resourceVersionMatch is forbidden when continue is provided");
        }
        if (!match.equals("Exact") && !match.equals(NOT_OLDER_THAN)) {
            throw ApiException.invalidOption(
                    "FieldValueNotSupported",
                    MATCH,
                    "Unsupported value: \"" + match + "\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
        }
        if (match.equals("Exact") && version.equals("0")) {
            throw ApiException.forbiddenOption(
                    MATCH, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
    }

    static long parseVersion(String text, boolean rawError) {
        if (text.isEmpty()) {
            return UNSET;
        }
        if (text.chars().allMatch(c -> c >= '0' && c <= '9') && text.length() <= 18) {
            return Long.parseLong(text);
        }
        String message = "resourceVersion: Invalid value: \"" + text + "\": strconv.ParseUint: parsing \"" + text
                + "\": invalid syntax";
        throw rawError
                ? new ApiException(500, "", message)
                : ApiException.badRequest("invalid resource version: " + message);
    }

    /** Whether a LIST wants the state at exactly its version. */
    boolean isExact() {
        return resourceVersion > 0 && (match.equals("Exact") || (match.isEmpty() && limit > 0));
    }
}
