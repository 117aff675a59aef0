package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContinueTokenTest {

    private static String json(String token) {
        return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
    }

    private static String token(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String refusal(String token) {
        StatusBody body = catchThrowableOfType(StatusException.class, () -> ContinueToken.decode(token))
                .body();
        assertThat(body.code()).isEqualTo(400);
        assertThat(body.reason()).isEqualTo("BadRequest");
        return body.message();
    }

    @Test
    void shouldWriteTheApiServersFormat() {
        String token = ContinueToken.after(12345, "ns/name").encode();

        assertThat(json(token)).isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":12345,\"start\":\"ns/name\\u0000\"}");
        assertThat(token).isEqualTo("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIzNDUsInN0YXJ0IjoibnMvbmFtZVx1MDAwMCJ9");
    }

    @Test
    void shouldEscapeKeysAsGoDoes() {
        assertThat(json(ContinueToken.after(1, "a<b>&\"é").encode()))
                .isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":1,\"start\":\"a\\u003cb\\u003e\\u0026\\\"é\\u0000\"}");
    }

    @Test
    void shouldGoOnAtTheCurrentVersionWhenToldSo() {
        ContinueToken token = new ContinueToken(-1, "a\0");

        assertThat(json(token.encode())).isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"a\\u0000\"}");
        assertThat(token.isLatest()).isTrue();
        assertThat(ContinueToken.decode(token.encode())).isEqualTo(token);
        assertThat(ContinueToken.after(7, "a").isLatest()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "ns/name", "a-b/x", "é😀", "a<&>\"\\", "..a", ".a/b.", "system:node"})
    void shouldReadItsOwnTokens(String key) {
        ContinueToken token = ContinueToken.after(Long.MAX_VALUE, key);

        assertThat(ContinueToken.decode(token.encode())).isEqualTo(token);
        assertThat(token.start()).isEqualTo(key + '\0');
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"start\":\"a\",\"rv\":5,\"v\":\"meta.k8s.io/v1\",\"more\":[1,{\"v\":\"]\"}]}|5|a",
                " { \"V\" : \"meta.k8s.io/v1\" , \"RV\" : 5 , \"Start\" : \"a\" } |5|a",
                "{\"v\":\"x\",\"v\":\"meta.k8s.io/v1\",\"rv\":1,\"rv\":-5,\"start\":\"/ns/a\"}|-5|ns/a",
                "{\"v\":\"meta.k8s.io/v1\",\"v\":null,\"rv\":5,\"rv\":null,\"start\":\"a\",\"start\":null}|5|a",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"\\u0061\\/\\ud83d\\ude00\\ud800\"}|5|a/😀\ufffd",
            })
    void shouldReadWhatGoReads(String json, long resourceVersion, String start) {
        assertThat(ContinueToken.decode(token(json))).isEqualTo(new ContinueToken(resourceVersion, start));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense!|illegal base64 data at input byte 8",
                "A|illegal base64 data at input byte 0",
                "AAAAA|illegal base64 data at input byte 4",
                "AA==|illegal base64 data at input byte 2",
                "A+B/|illegal base64 data at input byte 1",
                "AAé|illegal base64 data at input byte 2",
                "''|unexpected end of JSON input",
                "e30x|invalid character '1' after top-level value",
                "AAAA|invalid character '\\x00' looking for beginning of value",
            })
    void shouldRefuseWhatIsNoBase64OrNoJson(String token, String why) {
        assertThat(refusal(token.equals("''") ? "" : token))
                .isEqualTo("invalid continue token: continue key is not valid: " + why);
    }

    @Test
    void shouldSkipLineBreaksAsGoDoes() {
        String token = ContinueToken.after(5, "a").encode();

        assertThat(ContinueToken.decode("\n" + token.substring(0, 3) + "\r\n" + token.substring(3) + "\n"))
                .isEqualTo(ContinueToken.after(5, "a"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"v\":\"v1alpha1\",\"rv\":5,\"start\":\"a\"}|server does not recognize this encoded version v1alpha1",
                "{\"v\":\"meta.k8s.io/v1\",\"start\":\"a\"}|"
                        + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5}|encoded start key empty (version meta.k8s.io/v1)",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"../secrets/a\"}|../secrets/a",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a/../b\"}|a/../b",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a//b\"}|a//b",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a/\"}|a/",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/../a\"}|/../a",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"//a\"}|//a",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\".\"}|.",
                "{\"rv\":\"5\"}|" + "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
                "{\"rv\":5.5}|json: cannot unmarshal number 5.5 into Go struct field continueToken.rv of type int64",
                "{\"v\":1,\"rv\":{}}|json: cannot unmarshal number into Go struct field continueToken.v of type string",
                "{\"start\":[]}|json: cannot unmarshal array into Go struct field continueToken.start of type string",
                "{\"start\":true}|json: cannot unmarshal bool into Go struct field continueToken.start of type string",
                "[1]|json: cannot unmarshal array into Go value of type storage.continueToken",
                "\"x\"|json: cannot unmarshal string into Go value of type storage.continueToken",
                "12|json: cannot unmarshal number into Go value of type storage.continueToken",
                "{|unexpected end of JSON input",
                "{\"a|unexpected end of JSON input",
                "{x|invalid character 'x' looking for beginning of object key string",
                "{\"a\":1,}|invalid character '}' looking for beginning of object key string",
                "{\"a\" 1}|invalid character '1' after object key",
                "{\"a\":1 2|invalid character '2' after object key:value pair",
                "[1 2|invalid character '2' after array element",
                "[1,]|invalid character ']' looking for beginning of value",
                "nul|invalid character ' ' in literal null (expecting 'l')",
                "trUe|invalid character 'U' in literal true (expecting 'u')",
                "fals'|invalid character '\\'' in literal false (expecting 'e')",
                "01|invalid character '1' after top-level value",
                "-x|invalid character 'x' in numeric literal",
                "1.x|invalid character 'x' after decimal point in numeric literal",
                "1e|invalid character ' ' in exponent of numeric literal",
                "\"\\x\"|invalid character 'x' in string escape code",
                "\"\\u12g4\"|invalid character 'g' in \\u hexadecimal character escape",
                "\"\t\"|invalid character '\\t' in string literal",
                "é|invalid character 'Ã' looking for beginning of value",
            })
    void shouldRefuseContentsInGosWords(String json, String why) {
        assertThat(refusal(token(json))).isEqualTo("invalid continue token: continue key is not valid: " + why);
    }

    @Test
    void shouldSayOfNullThatItHasNoVersion() {
        assertThat(refusal(token("null")))
                .isEqualTo("invalid continue token: continue key is not valid: "
                        + "server does not recognize this encoded version ");
    }

    @Test
    void shouldRefuseDepthBeyondGos() {
        String deepest = "[".repeat(10_000);

        assertThat(refusal(token(deepest))).endsWith(": unexpected end of JSON input");
        assertThat(refusal(token(deepest + "["))).endsWith(": invalid character '[' exceeded max depth");
    }

    @Test
    void shouldNotHoldWhatCannotBeRead() {
        assertThatThrownBy(() -> new ContinueToken(0, "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ContinueToken(1, null)).isInstanceOf(IllegalArgumentException.class);
    }
}
