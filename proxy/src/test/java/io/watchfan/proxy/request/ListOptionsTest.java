package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListOptionsTest {
    private static final String UNSET = "resourceVersionMatch is forbidden unless resourceVersion is provided";
    private static final String WITH_CONTINUE = "resourceVersionMatch is forbidden when continue is provided";
    private static final String EXACT_ZERO = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
    private static final String NEEDS_MATCH = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    private static final String MATCH_ALONE =
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    private static final String FOR_LIST = "sendInitialEvents is forbidden for list";

    private static ListOptions parse(String query) {
        return ListOptions.parse(QueryParams.parse(query), false, null);
    }

    private static StatusBody refusal(ThrowingCallable call) {
        return catchThrowableOfType(StatusException.class, call).body();
    }

    private static void assertBadRequest(String message, ThrowingCallable call) {
        assertThat(refusal(call)).hasToString(StatusBody.badRequest(message).toString());
    }

    // ---- decoding

    @Test
    void shouldTakeWhatIsAbsentForUnset() {
        ListOptions options = parse("");

        assertThat(options)
                .isEqualTo(new ListOptions(false, false, "", "", "", "", false, null, null, 0, "", null, false));
        assertThat(options.isWatch()).isFalse();
        assertThat(options.continuation()).isEmpty();
        assertThat(options.resourceVersionForList()).isZero();
        assertThat(options.isResourceVersionUnsetOrZero()).isTrue();
    }

    @Test
    void shouldReadEachOption() {
        ListOptions options = ListOptions.parse(
                QueryParams.parse("&watch=1&labelSelector=a%3Db%2Cc&fieldSelector=metadata.name%3Dx&resourceVersion=5"
                        + "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&sendInitialEvents=true"
                        + "&timeoutSeconds=290&limit=500&continue=x&timeout=7m12s&pretty=true"),
                false,
                "kubectl");

        assertThat(options)
                .isEqualTo(new ListOptions(
                        true,
                        false,
                        "a=b,c",
                        "metadata.name=x",
                        "5",
                        "NotOlderThan",
                        true,
                        true,
                        290L,
                        500,
                        "x",
                        null,
                        true));
    }

    @ParameterizedTest
    @CsvSource({
        "watch, true",
        "watch=, true",
        "watch=1, true",
        "watch=true, true",
        "watch=True, true",
        "watch=no, true",
        "watch=2, true",
        "watch=00, true",
        "watch=+0, true",
        "watch=0, false",
        "watch=false, false",
        "watch=FALSE, false",
        "watch=False, false",
        "watch=0&watch=1, false",
        "Watch=true, false",
        "'', false",
    })
    void shouldBeFalseOnlyAsZeroOrFalse(String query, boolean watch) {
        assertThat(parse(query).watch()).isEqualTo(watch);
        assertThat(ListOptions.isWatch(QueryParams.parse(query))).isEqualTo(watch);
        assertThat(parse(query.replace("atch", "").replace("w", "allowWatchBookmarks"))
                        .allowWatchBookmarks())
                .isEqualTo(watch);
    }

    @ParameterizedTest
    @CsvSource({"sendInitialEvents, true", "sendInitialEvents=false, false", "sendInitialEvents=0, false", "x=1, "})
    void shouldTellUnsetInitialEventsFromRefusedOnes(String query, Boolean value) {
        assertThat(parse(query).sendInitialEvents()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"timeoutSeconds", "limit"})
    void shouldRefuseNumbersInGosWords(String name) {
        for (String value : List.of("abc", "", "1.5", "0x10", " 1", "1s")) {
            assertBadRequest(
                    "strconv.ParseInt: parsing \"" + value + "\": invalid syntax",
                    () -> parse(name + "=" + value.replace(' ', '+')));
        }
        assertBadRequest(
                "strconv.ParseInt: parsing \"9223372036854775808\": value out of range",
                () -> parse(name + "=9223372036854775808"));
    }

    @Test
    void shouldReadNumbers() {
        assertThat(parse("limit=%2B5").limit()).isEqualTo(5);
        assertThat(parse("limit=-1").limit()).isEqualTo(-1);
        assertThat(parse("limit=3&limit=x").limit()).isEqualTo(3);
        assertThat(parse("timeoutSeconds=0").timeoutSeconds()).isZero();
        assertThat(parse("timeoutSeconds=9223372036854775807").timeoutSeconds()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldCheckTimeoutThenTimeoutSecondsThenLimit() {
        assertBadRequest(
                "invalid timeout specified in the request URL - time: invalid duration \"abc\"",
                () -> parse("limit=x&timeoutSeconds=y&timeout=abc"));
        assertBadRequest("strconv.ParseInt: parsing \"y\": invalid syntax", () -> parse("limit=x&timeoutSeconds=y"));
    }

    @Test
    void shouldReadTheTimeoutOfAListOnly() {
        assertThat(parse("timeout=7m12s").timeout()).isEqualTo(Duration.ofSeconds(432));
        assertThat(parse("timeout=").timeout()).isNull();
        assertThat(parse("timeout=-1s").timeout()).isNegative();
        assertThat(parse("timeout=abc&watch=1").timeout()).isNull();
        assertThat(ListOptions.parse(QueryParams.parse("timeout=abc"), true, null)
                        .timeout())
                .isNull();
        assertBadRequest(
                "invalid timeout specified in the request URL - time: missing unit in duration \"10\"",
                () -> parse("timeout=10&watch=0"));
        assertBadRequest(
                "invalid timeout specified in the request URL - time: unknown unit \"x\" in duration \"1x\"",
                () -> ListOptions.parseTimeout(QueryParams.parse("timeout=1x")));
    }

    @ParameterizedTest
    @CsvSource({
        "pretty=true, kubectl, true",
        "pretty=1, , true",
        "pretty=T, , true",
        "pretty=tRUE, , false",
        "pretty=false, curl/8, false",
        "pretty=yes, curl/8, false",
        "pretty=, curl/8, true",
        "x=1, Wget/1, true",
        "x=1, Mozilla/5.0 (X11), true",
        "x=1, Mozilla/4.0, false",
        "x=1, libcurl, false",
        "x=1, , false",
    })
    void shouldBePrettyForPeople(String query, String userAgent, boolean pretty) {
        QueryParams params = QueryParams.parse(query);

        assertThat(ListOptions.parse(params, false, userAgent).pretty()).isEqualTo(pretty);
        assertThat(ListOptions.parseGet(params, userAgent).pretty()).isEqualTo(pretty);
    }

    @Test
    void shouldReadOnlyTheOptionsThatAGetHas() {
        ListOptions options = ListOptions.parseGet(
                QueryParams.parse("watch=1&resourceVersion=5&resourceVersionMatch=x&limit=x&timeoutSeconds=x"
                        + "&sendInitialEvents=1&continue=x&labelSelector=!&timeout=1s"),
                null);

        assertThat(options)
                .isEqualTo(new ListOptions(
                        false, false, "", "", "5", "", false, null, null, 0, "", Duration.ofSeconds(1), false));
        assertBadRequest(
                "invalid timeout specified in the request URL - time: invalid duration \"x\"",
                () -> ListOptions.parseGet(QueryParams.parse("watch=1&timeout=x"), null));
    }

    // ---- defaults

    @ParameterizedTest
    @CsvSource({
        "watch=1, true, NotOlderThan",
        "watch=1&resourceVersion=, true, NotOlderThan",
        "watch=1&resourceVersion=0&resourceVersionMatch=, true, NotOlderThan",
        "watch=1&resourceVersion=00, , ''",
        "watch=1&resourceVersion=5, , ''",
        "watch=1&sendInitialEvents=false, false, ''",
        "watch=1&resourceVersionMatch=Exact, , Exact",
        "'', , ''",
        "watch=0, , ''",
    })
    void shouldSendInitialEventsToAWatchFromNoVersion(String query, Boolean sendInitialEvents, String match) {
        ListOptions options = parse(query).withDefaults();

        assertThat(options.sendInitialEvents()).isEqualTo(sendInitialEvents);
        assertThat(options.resourceVersionMatch()).isEqualTo(match);
        assertThat(options.isStreamingList()).isEqualTo(Boolean.TRUE.equals(sendInitialEvents));
    }

    @Test
    void shouldKeepAllElseWhenDefaulting() {
        ListOptions options = parse(
                "watch=1&labelSelector=a&fieldSelector=b&allowWatchBookmarks=1&timeoutSeconds=3&limit=4&pretty=1");

        assertThat(options.withDefaults())
                .isEqualTo(
                        new ListOptions(true, false, "a", "b", "", "NotOlderThan", true, true, 3L, 4, "", null, true));
    }

    @Test
    void shouldNotDefaultAWatchThatIsOneByItsPathAlone() {
        QueryParams none = QueryParams.parse("");

        ListOptions byPath = ListOptions.parse(none, true, null).withDefaults();

        assertThat(byPath.isWatch()).isTrue();
        assertThat(byPath.isStreamingList()).isFalse();
        assertThat(ListOptions.parse(QueryParams.parse("watch=1"), true, null)
                        .withDefaults()
                        .isStreamingList())
                .isTrue();
    }

    // ---- validation

    /** Each cause as its text; a match that is not supported as {@code =VALUE|SUPPORTED}. */
    private static void assertInvalid(String query, String... causes) {
        List<StatusBody.Cause> expected = new ArrayList<>();
        for (String cause : causes) {
            int bar = cause.indexOf('|');
            expected.add(
                    bar < 0
                            ? StatusBody.Cause.forbidden(
                                    cause.equals(FOR_LIST) ? "sendInitialEvents" : "resourceVersionMatch", cause)
                            : StatusBody.Cause.notSupported(
                                    "resourceVersionMatch", cause.substring(1, bar), cause.substring(bar + 1)));
        }
        boolean forced = query.startsWith("/watch/?");
        QueryParams params = QueryParams.parse(forced ? query.substring(8) : query);
        StatusBody body = refusal(
                () -> ListOptions.parse(params, forced, null).withDefaults().validate());

        assertThat(body)
                .as(query)
                .hasToString(StatusBody.invalidListOptions(expected).toString());
    }

    @Test
    void shouldRefuseMatchWithoutVersion() {
        StatusBody body = refusal(() -> parse("resourceVersionMatch=Exact").validate());

        assertThat(body.compact())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":"
                                + "\"ListOptions.meta.k8s.io \\\"\\\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch"
                                + " is forbidden unless resourceVersion is provided\",\"reason\":\"Invalid\",\"details\":{\"group\":"
                                + "\"meta.k8s.io\",\"kind\":\"ListOptions\",\"causes\":[{\"reason\":\"FieldValueForbidden\",\"message\":"
                                + "\"Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided\",\"field\":"
                                + "\"resourceVersionMatch\"}]},\"code\":422}\n");
    }

    @Test
    void shouldRefuseWhatAListMayNotCombine() {
        String unknown = "=exact|\"Exact\", \"NotOlderThan\", \"\"";

        assertInvalid("resourceVersionMatch=NotOlderThan&limit=5", UNSET);
        assertInvalid("resourceVersionMatch=NotOlderThan&resourceVersion=5&continue=x", WITH_CONTINUE);
        assertInvalid("resourceVersionMatch=exact&resourceVersion=5", unknown);
        assertInvalid("resourceVersionMatch=exact", UNSET, unknown);
        assertInvalid("resourceVersionMatch=exact&continue=x", UNSET, WITH_CONTINUE, unknown);
        assertInvalid("resourceVersionMatch=Exact&resourceVersion=0", EXACT_ZERO);
        assertInvalid("resourceVersionMatch=Exact&resourceVersion=0&continue=x", WITH_CONTINUE, EXACT_ZERO);
        assertInvalid("sendInitialEvents=false", FOR_LIST);
        assertInvalid("sendInitialEvents=true&resourceVersion=5&resourceVersionMatch=NotOlderThan", FOR_LIST);
        assertInvalid("sendInitialEvents=true&resourceVersionMatch=Exact", UNSET, FOR_LIST);
    }

    @Test
    void shouldRefuseWhatAWatchMayNotCombine() {
        String exact = "=Exact|\"NotOlderThan\"";

        assertInvalid("watch=1&sendInitialEvents=true", NEEDS_MATCH);
        assertInvalid("watch=1&sendInitialEvents=true&resourceVersion=0", NEEDS_MATCH);
        assertInvalid("watch=1&sendInitialEvents=false&resourceVersion=5", NEEDS_MATCH);
        assertInvalid("watch=1&sendInitialEvents=true&resourceVersionMatch=Exact", NEEDS_MATCH, exact);
        assertInvalid("watch=1&resourceVersionMatch=NotOlderThan", MATCH_ALONE);
        assertInvalid("watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=5", MATCH_ALONE);
        assertInvalid("watch=1&resourceVersionMatch=Exact&resourceVersion=5", MATCH_ALONE, exact);
        assertInvalid("watch=1&continue=x", WITH_CONTINUE);
        assertInvalid("watch=1&continue=x&resourceVersion=0", WITH_CONTINUE);
        assertInvalid("watch=1&continue=x&resourceVersionMatch=Exact", MATCH_ALONE, exact, WITH_CONTINUE);
    }

    @Test
    void shouldCheckAWatchByItsPathAloneAsAList() {
        assertInvalid("/watch/?sendInitialEvents=true", FOR_LIST);
        assertInvalid("/watch/?resourceVersionMatch=NotOlderThan", UNSET);
        assertInvalid("/watch/?watch=1&sendInitialEvents=true", NEEDS_MATCH);
    }

    @Test
    void shouldQuoteAnUnknownMatchAsJson() {
        assertThat(refusal(() -> parse("resourceVersion=5&resourceVersionMatch=%3Ca%22%ff")
                                .validate())
                        .message())
                .isEqualTo("ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Unsupported value: "
                        + "\"\\u003ca\\\"\\ufffd\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "resourceVersion=5&resourceVersionMatch=Exact&limit=5",
                "resourceVersion=0&resourceVersionMatch=NotOlderThan",
                "resourceVersion=00&resourceVersionMatch=Exact",
                "continue=x&resourceVersion=5",
                "watch=1",
                "watch=1&limit=1&resourceVersion=5&continue=x",
                "watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
                "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=5",
            })
    void shouldLetPassWhatMayBeCombined(String query) {
        assertThatCode(() -> parse(query).withDefaults().validate()).doesNotThrowAnyException();
    }

    // ---- versions and tokens

    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "0, 0",
        "007, 7",
        "9223372036854775807, 9223372036854775807",
        "9223372036854775808, 9223372036854775807",
        "18446744073709551615, 9223372036854775807",
    })
    void shouldReadUnsignedVersions(String text, long version) {
        ListOptions options = parse("resourceVersion=" + text);

        assertThat(options.resourceVersionForList()).isEqualTo(version);
        assertThat(options.resourceVersionForWatchOrGet()).isEqualTo(version);
    }

    @ParameterizedTest
    @CsvSource({
        "abc, abc, invalid syntax",
        "-1, -1, invalid syntax",
        "%2B1, +1, invalid syntax",
        "1.0, 1.0, invalid syntax",
        "+1, ' 1', invalid syntax",
        "latest, latest, invalid syntax",
        "18446744073709551616, 18446744073709551616, value out of range",
        "%22%ff, \\\"\\xff, invalid syntax",
    })
    void shouldRefuseWhatIsNoVersion(String value, String quoted, String why) {
        ListOptions options = parse("resourceVersion=" + value);
        String message = "resourceVersion: Invalid value: \"" + quoted + "\": strconv.ParseUint: parsing \"" + quoted
                + "\": " + why;

        assertBadRequest("invalid resource version: " + message, options::resourceVersionForList);
        assertThat(refusal(options::resourceVersionForWatchOrGet))
                .hasToString(StatusBody.unknownError(message).toString());
    }

    @Test
    void shouldReadWhereToGoOn() {
        ContinueToken token = ContinueToken.after(5, "a");

        assertThat(parse("continue=" + token.encode()).continuation()).contains(token);
        assertThat(parse("resourceVersion=0&continue=" + token.encode()).continuation())
                .contains(token);
    }

    @Test
    void shouldRefuseAVersionBesideAToken() {
        String token = ContinueToken.after(5, "a").encode();

        for (String version : List.of("5", "00", "abc")) {
            assertBadRequest(
                    "specifying resource version is not allowed when using continue",
                    parse("resourceVersion=" + version + "&continue=" + token)::continuation);
        }
        assertBadRequest(
                "invalid continue token: continue key is not valid: illegal base64 data at input byte 1",
                parse("resourceVersion=5&continue=x!")::continuation);
    }
}
