package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes are those that the API server's own code gave. */
class StatusBodyTest {
    private static final String HEAD =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",";

    private static Arguments status(StatusBody body, int retryAfterSeconds, String rest) {
        return Arguments.of(body, retryAfterSeconds, HEAD + rest);
    }

    static Stream<Arguments> statuses() {
        return Stream.of(
                status(
                        StatusBody.badRequest("a<b>&\u2028\"\\\n\0é😀"),
                        0,
                        "\"message\":\"a\\u003cb\\u003e\\u0026\\u2028\\\"\\\\\\n\\u0000é😀\",\"reason\":\"BadRequest\",\"code\":400}"),
                status(
                        StatusBody.badRequest("found '\udcff'"),
                        0,
                        "\"message\":\"found '\\ufffd'\",\"reason\":\"BadRequest\",\"code\":400}"),
                status(
                        StatusBody.forbiddenPath("jane", "get", "/x", null),
                        0,
                        "\"message\":\"forbidden: User \\\"jane\\\" cannot get path \\\"/x\\\"\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}"),
                status(
                        StatusBody.notFound("pods", "", "x"),
                        0,
                        "\"message\":\"pods \\\"x\\\" not found\",\"reason\":\"NotFound\",\"details\":{\"name\":\"x\",\"kind\":\"pods\"},\"code\":404}"),
                status(
                        StatusBody.notFound("deployments", "apps", "a\"b"),
                        0,
                        "\"message\":\"deployments.apps \\\"a\\\\\\\"b\\\" not found\",\"reason\":\"NotFound\","
                                + "\"details\":{\"name\":\"a\\\"b\",\"group\":\"apps\",\"kind\":\"deployments\"},\"code\":404}"),
                status(
                        StatusBody.methodNotAllowed(),
                        0,
                        "\"message\":\"the server does not allow this method on the requested resource\","
                                + "\"reason\":\"MethodNotAllowed\",\"details\":{},\"code\":405}"),
                status(
                        StatusBody.tooOldResourceVersion(5, 10),
                        0,
                        "\"message\":\"too old resource version: 5 (10)\",\"reason\":\"Expired\",\"code\":410}"),
                status(
                        StatusBody.invalidListOptions(List.of(
                                StatusBody.Cause.forbidden("f", "x"),
                                StatusBody.Cause.notSupported("g", "<", "\"Y\""))),
                        0,
                        "\"message\":\"ListOptions.meta.k8s.io \\\"\\\" is invalid: [f: Forbidden: x, g: Unsupported value:"
                                + " \\\"\\\\u003c\\\": supported values: \\\"Y\\\"]\",\"reason\":\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\","
                                + "\"kind\":\"ListOptions\",\"causes\":[{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: x\","
                                + "\"field\":\"f\"},{\"reason\":\"FieldValueNotSupported\",\"message\":\"Unsupported value:"
                                + " \\\"\\\\u003c\\\": supported values: \\\"Y\\\"\",\"field\":\"g\"}]},\"code\":422}"),
                status(
                        StatusBody.internalError("boom"),
                        0,
                        "\"message\":\"Internal error occurred: boom\",\"reason\":\"InternalError\","
                                + "\"details\":{\"causes\":[{\"message\":\"boom\"}]},\"code\":500}"),
                status(StatusBody.unknownError("boom"), 0, "\"message\":\"boom\",\"code\":500}"),
                status(
                        StatusBody.serviceUnavailable("m", 0),
                        0,
                        "\"message\":\"m\",\"reason\":\"ServiceUnavailable\",\"code\":503}"),
                status(
                        StatusBody.serviceUnavailable("m", 5),
                        5,
                        "\"message\":\"m\",\"reason\":\"ServiceUnavailable\",\"details\":{\"retryAfterSeconds\":5},\"code\":503}"),
                status(
                        StatusBody.shuttingDown("apiserver is shutting down"),
                        1,
                        "\"message\":\"apiserver is shutting down\",\"reason\":\"ServiceUnavailable\",\"code\":503}"),
                status(
                        StatusBody.tooLargeResourceVersion(-1, 7),
                        1,
                        "\"message\":\"Timeout: Too large resource version: 18446744073709551615, current: 7\","
                                + "\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\","
                                + "\"message\":\"Too large resource version\"}],\"retryAfterSeconds\":1},\"code\":504}"));
    }

    @ParameterizedTest
    @MethodSource("statuses")
    void shouldWriteTheApiServersBytes(StatusBody body, int retryAfterSeconds, String json) {
        assertThat(body.compact()).asString(StandardCharsets.UTF_8).isEqualTo(json + "\n");
        assertThat(body.errorEventLine())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"type\":\"ERROR\",\"object\":" + json + "}\n");
        assertThat(body).hasToString(json);
        assertThat(json).endsWith("\"code\":" + body.code() + "}");
        assertThat(body.retryAfterSeconds()).isEqualTo(retryAfterSeconds);
    }

    @Test
    void shouldIndentAsGoDoes() {
        assertThat(StatusBody.tooLargeResourceVersion(9, 7).pretty())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("""
                        {
                          "kind": "Status",
                          "apiVersion": "v1",
                          "metadata": {},
                          "status": "Failure",
                          "message": "Timeout: Too large resource version: 9, current: 7",
                          "reason": "Timeout",
                          "details": {
                            "causes": [
                              {
                                "reason": "ResourceVersionTooLarge",
                                "message": "Too large resource version"
                              }
                            ],
                            "retryAfterSeconds": 1
                          },
                          "code": 504
                        }""");
    }

    @Test
    void shouldKeepEmptyObjectsInOneLineWhenIndented() {
        assertThat(StatusBody.methodNotAllowed().body(true))
                .asString(StandardCharsets.UTF_8)
                .contains("\n  \"metadata\": {},\n", "\n  \"details\": {},\n  \"code\": 405\n}")
                .endsWith("}");
    }

    @Test
    void shouldGiveTheCallerItsOwnBytes() {
        StatusBody body = StatusBody.methodNotAllowed();
        body.body(false)[0] = 'x';

        assertThat(body.body(false)).isEqualTo(body.compact()).startsWith('{');
    }

    @Test
    void shouldTravelAsAnExceptionWithoutAStackTrace() {
        StatusException exception = new StatusException(StatusBody.badRequest("why"));

        assertThat(exception).hasMessage("why");
        assertThat(exception.body().code()).isEqualTo(400);
        assertThat(exception.getStackTrace()).isEmpty();
    }

    /** The bytes are kube-apiserver 1.37's. */
    @Test
    void shouldBeProtobufAsTheApiServerWritesIt() {
        assertThat(StatusBody.notFound("configmaps", "", "nope").protobuf())
                .isEqualTo(latin("k8s\0\n\u000c\n\u0002v1\u0012\u0006Status\u0012U\n\u0006\n\0\u0012\0\u001a\0"
                        + "\u0012\u0007Failure\u001a\u001bconfigmaps \"nope\" not found\"\u0008NotFound"
                        + "*\u0018\n\u0004nope\u0012\0\u001a\nconfigmaps(\0" + "2\0" + "0\u0094\u0003"
                        + "\u001a\0\"\0"));
        assertThat(StatusBody.tooLargeResourceVersion(100_000, 248).protobuf())
                .isEqualTo(
                        latin("k8s\0\n\u000c\n\u0002v1\u0012\u0006Status\u0012\u009d\u0001\n\u0006\n\0\u0012\0\u001a\0"
                                + "\u0012\u0007Failure\u001a9Timeout: Too large resource version: 100000, current: 248"
                                + "\"\u0007Timeout*C\n\0\u0012\0\u001a\0\"7\n\u0017ResourceVersionTooLarge"
                                + "\u0012\u001aToo large resource version\u001a\0(\u0001" + "2\0" + "0\u00f8\u0003"
                                + "\u001a\0\"\0"));
        assertThat(StatusBody.unknownError("x").protobuf())
                .isEqualTo(latin("k8s\0\n\u000c\n\u0002v1\u0012\u0006Status\u0012\u0019\n\u0006\n\0\u0012\0\u001a\0"
                        + "\u0012\u0007Failure\u001a\u0001x\"\0" + "0\u00f4\u0003\u001a\0\"\0"));
    }

    private static byte[] latin(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }
}
