package io.watchfan.proxy.request;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the JSON inside a continue token as Go's {@code json.Unmarshal} reads it into a struct of {@code v}, {@code rv}
 * and {@code start}: unknown names are ignored, the last of equal names counts, names match in any case, null changes
 * nothing, and the first value of a wrong type is the error.
 */
final class ContinueTokenJson {
    private static final String STRUCT = "continueToken";

    private final byte[] data;
    private int at;
    private String error;

    private String version = "";
    private long resourceVersion;
    private String start = "";

    private ContinueTokenJson(byte[] data) {
        this.data = data;
    }

    static ContinueTokenJson read(byte[] data) throws GoParseException {
        GoJson.check(data);
        ContinueTokenJson token = new ContinueTokenJson(data);
        token.readTop();
        if (token.error != null) {
            throw new GoParseException(token.error);
        }
        return token;
    }

    /** Empty when it is absent. */
    String version() {
        return version;
    }

    /** Zero when it is absent. */
    long resourceVersion() {
        return resourceVersion;
    }

    /** Empty when it is absent. */
    String start() {
        return start;
    }

    private void readTop() {
        skipSpace();
        if (data[at] != '{') {
            if (data[at] != 'n') {
                error = "json: cannot unmarshal " + kind() + " into Go value of type storage." + STRUCT;
            }
            return;
        }
        at++;
        skipSpace();
        while (data[at] != '}') {
            readMember();
            skipSpace();
            if (data[at] == ',') {
                at++;
                skipSpace();
            }
        }
    }

    private void readMember() {
        String name = readString();
        skipSpace();
        at++; // the colon
        skipSpace();
        if (name.equalsIgnoreCase("v")) {
            version = readText("v", version);
        } else if (name.equalsIgnoreCase("start")) {
            start = readText("start", start);
        } else if (name.equalsIgnoreCase("rv")) {
            readResourceVersion();
        } else {
            skipValue();
        }
    }

    private String readText(String field, String before) {
        if (data[at] == '"') {
            return readString();
        }
        if (data[at] != 'n') {
            wrongType(field, kind(), "string");
        }
        skipValue();
        return before;
    }

    private void readResourceVersion() {
        String kind = kind();
        int begin = at;
        skipValue();
        if (kind.equals("number")) {
            String number = new String(data, begin, at - begin, StandardCharsets.ISO_8859_1);
            try {
                resourceVersion = GoNumbers.parseInt64(number);
            } catch (GoParseException e) {
                wrongType("rv", "number " + number, "int64");
            }
        } else if (!kind.equals("null")) {
            wrongType("rv", kind, "int64");
        }
    }

    private void wrongType(String field, String kind, String type) {
        if (error == null) {
            error = "json: cannot unmarshal " + kind + " into Go struct field " + STRUCT + "." + field + " of type "
                    + type;
        }
    }

    /** What Go calls the value that begins here. */
    private String kind() {
        return switch (data[at]) {
            case '{' -> "object";
            case '[' -> "array";
            case '"' -> "string";
            case 't', 'f' -> "bool";
            case 'n' -> "null";
            default -> "number";
        };
    }

    private void skipSpace() {
        while (GoJson.isSpace(data[at])) {
            at++;
        }
    }

    private void skipValue() {
        int depth = 0;
        do {
            skipSpace();
            switch (data[at]) {
                case '{', '[' -> {
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                case ',', ':' -> at++;
                case '"' -> readString();
                default -> skipScalar();
            }
        } while (depth > 0);
    }

    private void skipScalar() {
        while (at < data.length && ",]} \t\r\n".indexOf(data[at]) < 0) {
            at++;
        }
    }

    /** Decodes the string that begins here; what is not UTF-8 or no whole surrogate pair becomes U+FFFD. */
    private String readString() {
        StringBuilder text = new StringBuilder();
        int plain = ++at;
        for (; data[at] != '"'; at++) {
            if (data[at] == '\\') {
                append(text, plain, at);
                at++;
                text.append(escaped());
                plain = at + 1;
            }
        }
        append(text, plain, at);
        at++;
        return text.codePoints()
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xfffd : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private void append(StringBuilder text, int begin, int end) {
        byte[] bytes = Arrays.copyOfRange(data, begin, end);
        text.append(GoText.decodeUtf8(bytes, bytes.length));
    }

    /** The char of the escape whose letter is here; leaves {@link #at} on its last byte. */
    private char escaped() {
        return switch (data[at]) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(new String(data, at - 3, 4, StandardCharsets.ISO_8859_1), 16);
            }
            default -> (char) data[at];
        };
    }
}
