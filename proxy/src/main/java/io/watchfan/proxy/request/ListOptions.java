package io.watchfan.proxy.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The options of a LIST or a WATCH (spec 1.2), and of a GET as far as it has them. Checks belong in this order: {@link
 * #parseTimeout} before authentication; after authorization, {@link #parse}, then the selectors' own syntax, {@link
 * #withDefaults}, {@link #validate}, then field labels, then the version or the continue token.
 *
 * <p>Text is never null, and empty where it is absent: the API server tells no difference (W-013 to W-015).
 *
 * @param watch the parameter {@code watch} (W-011)
 * @param forcedWatch whether the path makes it a watch whatever {@code watch} says (W-006)
 * @param labelSelector as sent, decoded
 * @param fieldSelector as sent, decoded
 * @param resourceVersion as sent; see {@link #resourceVersionForList} and {@link #resourceVersionForWatchOrGet}
 * @param resourceVersionMatch as sent, or as defaulted
 * @param allowWatchBookmarks whether BOOKMARK events may be sent
 * @param sendInitialEvents null when absent
 * @param timeoutSeconds null when absent; negative ends a watch at once (W-206), 0 is as absent; no meaning to a LIST
 * @param limit 0 when absent; not above 0 is no limit (W-246); no meaning to a WATCH
 * @param continueToken see {@link #continuation}
 * @param timeout of a LIST or GET (W-019), null when absent and always for a WATCH; 0 or less is as absent
 * @param pretty whether bodies that are not streams are to be indented (W-017)
 */
public record ListOptions(
        boolean watch,
        boolean forcedWatch,
        String labelSelector,
        String fieldSelector,
        String resourceVersion,
        String resourceVersionMatch,
        boolean allowWatchBookmarks,
        Boolean sendInitialEvents,
        Long timeoutSeconds,
        long limit,
        String continueToken,
        Duration timeout,
        boolean pretty) {

    /** The match that an exact version is asked for with. */
    public static final String EXACT = "Exact";

    /** The match that a version or anything newer is asked for with. */
    public static final String NOT_OLDER_THAN = "NotOlderThan";

    private static final String MATCH_FIELD = "resourceVersionMatch";

    /**
     * Reads the options of a LIST or WATCH.
     *
     * @param forcedWatch whether the path has the prefix {@code /watch/} ({@link RequestInfo#isWatchPath})
     * @param userAgent the header, null when absent
     * @throws StatusException 400 when {@code timeout} (W-019), {@code timeoutSeconds} or {@code limit} (W-012) cannot be
     *     read; checked in this order
     */
    public static ListOptions parse(QueryParams params, boolean forcedWatch, String userAgent) {
        boolean watch = isWatch(params);
        Duration timeout = watch || forcedWatch ? null : parseTimeout(params);
        Long timeoutSeconds = parseInt64(params, "timeoutSeconds");
        Long limit = parseInt64(params, "limit");
        return new ListOptions(
                watch,
                forcedWatch,
                params.get("labelSelector"),
                params.get("fieldSelector"),
                params.get("resourceVersion"),
                params.get(MATCH_FIELD),
                isTrue(params, "allowWatchBookmarks"),
                params.has("sendInitialEvents") ? (Boolean) isTrue(params, "sendInitialEvents") : null,
                timeoutSeconds,
                limit == null ? 0 : limit,
                params.get("continue"),
                timeout,
                isPretty(params, userAgent));
    }

    /**
     * Reads the options of a GET of one object: only resourceVersion, timeout and pretty mean anything to it (W-004,
     * W-043), all else is as absent.
     *
     * @param userAgent the header, null when absent
     * @throws StatusException 400 when {@code timeout} cannot be read (W-019)
     */
    public static ListOptions parseGet(QueryParams params, String userAgent) {
        return new ListOptions(
                false,
                false,
                "",
                "",
                params.get("resourceVersion"),
                "",
                false,
                null,
                null,
                0,
                "",
                parseTimeout(params),
                isPretty(params, userAgent));
    }

    /** Whether the query makes a request of a collection a watch (W-003, W-011); never errors. */
    public static boolean isWatch(QueryParams params) {
        return isTrue(params, "watch");
    }

    /**
     * The parameter {@code timeout} of a LIST or GET, which the API server checks before anything else; do not call it
     * for a WATCH.
     *
     * @return null when absent or empty
     * @throws StatusException 400 when it is no Go duration (W-019)
     */
    public static Duration parseTimeout(QueryParams params) {
        String timeout = params.get("timeout");
        if (timeout.isEmpty()) {
            return null;
        }
        try {
            return GoDuration.parse(timeout);
        } catch (GoParseException e) {
            throw new StatusException(
                    StatusBody.badRequest("invalid timeout specified in the request URL - " + e.getMessage()));
        }
    }

    /**
     * Whether a body that is no stream is to be indented (W-017).
     *
     * @param userAgent the header, null when absent
     */
    public static boolean isPretty(QueryParams params, String userAgent) {
        String pretty = params.get("pretty");
        if (!pretty.isEmpty()) {
            return switch (pretty) {
                case "1", "t", "T", "true", "TRUE", "True" -> true;
                default -> false;
            };
        }
        return userAgent != null
                && (userAgent.startsWith("curl")
                        || userAgent.startsWith("Wget")
                        || userAgent.startsWith("Mozilla/5.0"));
    }

    private static boolean isTrue(QueryParams params, String name) {
        String value = params.first(name);
        return value != null && !value.equals("0") && !value.equalsIgnoreCase("false");
    }

    private static Long parseInt64(QueryParams params, String name) {
        String value = params.first(name);
        if (value == null) {
            return null;
        }
        try {
            return GoNumbers.parseInt64(value);
        } catch (GoParseException e) {
            throw new StatusException(StatusBody.badRequest(e.getMessage()));
        }
    }

    /** Whether this is a WATCH, by its query or by its path. */
    public boolean isWatch() {
        return watch || forcedWatch;
    }

    /** Whether the version is unset or {@code 0}: nothing or anything is asked of it. */
    public boolean isResourceVersionUnsetOrZero() {
        return resourceVersion.isEmpty() || resourceVersion.equals("0");
    }

    /** Whether a watch begins with the state that there is, and tells its end (after {@link #withDefaults}). */
    public boolean isStreamingList() {
        return isWatch() && Boolean.TRUE.equals(sendInitialEvents);
    }

    /** These options after the API server's defaulting: a watch from no version in particular gets the state (W-060). */
    public ListOptions withDefaults() {
        boolean defaulted =
                watch && sendInitialEvents == null && resourceVersionMatch.isEmpty() && isResourceVersionUnsetOrZero();
        return !defaulted
                ? this
                : new ListOptions(
                        watch,
                        forcedWatch,
                        labelSelector,
                        fieldSelector,
                        resourceVersion,
                        NOT_OLDER_THAN,
                        allowWatchBookmarks,
                        true,
                        timeoutSeconds,
                        limit,
                        continueToken,
                        timeout,
                        pretty);
    }

    /**
     * Checks what may not be combined; to be called on {@link #withDefaults}. A watch that is one by its path alone is
     * checked as a list (W-006).
     *
     * @throws StatusException 422 with a cause for each error (W-030 to W-038)
     */
    public void validate() {
        List<StatusBody.Cause> causes = new ArrayList<>();
        if (watch) {
            validateWatch(causes);
        } else {
            validateList(causes);
        }
        if (!causes.isEmpty()) {
            throw new StatusException(StatusBody.invalidListOptions(causes));
        }
    }

    private void validateList(List<StatusBody.Cause> causes) {
        if (!resourceVersionMatch.isEmpty()) {
            boolean isExact = resourceVersionMatch.equals(EXACT);
            if (resourceVersion.isEmpty()) {
                forbidMatch(causes, "resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            forbidMatchWithContinue(causes);
            if (!isExact && !resourceVersionMatch.equals(NOT_OLDER_THAN)) {
                rejectMatch(causes, "\"Exact\", \"NotOlderThan\", \"\"");
            }
            if (isExact && resourceVersion.equals("0")) {
                forbidMatch(causes, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
            }
        }
        if (sendInitialEvents != null) {
            causes.add(StatusBody.Cause.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
    }

    private void validateWatch(List<StatusBody.Cause> causes) {
        boolean isNotOlderThan = resourceVersionMatch.equals(NOT_OLDER_THAN);
        if (sendInitialEvents != null && !isNotOlderThan) {
            forbidMatch(causes, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!resourceVersionMatch.isEmpty()) {
            if (sendInitialEvents == null) {
                forbidMatch(causes, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
            }
            if (!isNotOlderThan) {
                rejectMatch(causes, "\"NotOlderThan\"");
            }
            forbidMatchWithContinue(causes);
        }
    }

    private void forbidMatchWithContinue(List<StatusBody.Cause> causes) {
        if (!continueToken.isEmpty()) {
            forbidMatch(causes, "resourceVersionMatch is forbidden when continue is provided");
        }
    }

    private static void forbidMatch(List<StatusBody.Cause> causes, String text) {
        causes.add(StatusBody.Cause.forbidden(MATCH_FIELD, text));
    }

    private void rejectMatch(List<StatusBody.Cause> causes, String supported) {
        causes.add(StatusBody.Cause.notSupported(MATCH_FIELD, resourceVersionMatch, supported));
    }

    /**
     * The version that a LIST asks for; 0 when unset. Versions beyond {@link Long#MAX_VALUE} lie in a future that nobody
     * reaches and are given as that.
     *
     * @throws StatusException 400 when it is no unsigned decimal (W-044)
     */
    public long resourceVersionForList() {
        try {
            return parseResourceVersion();
        } catch (GoParseException e) {
            throw new StatusException(StatusBody.badRequest("invalid resource version: " + e.getMessage()));
        }
    }

    /**
     * The version that a WATCH or a GET asks for, as in {@link #resourceVersionForList}.
     *
     * @throws StatusException 500 without a reason when it is no unsigned decimal (W-045)
     */
    public long resourceVersionForWatchOrGet() {
        try {
            return parseResourceVersion();
        } catch (GoParseException e) {
            throw new StatusException(StatusBody.unknownError(e.getMessage()));
        }
    }

    private long parseResourceVersion() throws GoParseException {
        if (resourceVersion.isEmpty()) {
            return 0;
        }
        try {
            long version = GoNumbers.parseUint64(resourceVersion);
            return version < 0 ? Long.MAX_VALUE : version;
        } catch (GoParseException e) {
            throw new GoParseException(
                    "resourceVersion: Invalid value: " + GoText.quote(resourceVersion) + ": " + e.getMessage());
        }
    }

    /**
     * Where a LIST goes on; empty when {@code continue} is absent.
     *
     * @throws StatusException 400 when the token cannot be read (W-243), or when a version above 0 is given as well (W-053)
     */
    public Optional<ContinueToken> continuation() {
        if (continueToken.isEmpty()) {
            return Optional.empty();
        }
        ContinueToken token = ContinueToken.decode(continueToken);
        if (!isResourceVersionUnsetOrZero()) {
            throw new StatusException(
                    StatusBody.badRequest("specifying resource version is not allowed when using continue"));
        }
        return Optional.of(token);
    }
}
