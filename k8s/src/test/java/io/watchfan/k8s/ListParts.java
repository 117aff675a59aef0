package io.watchfan.k8s;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A body with the version and the token of its list set apart.
 *
 * @param rest the body without them, as Latin-1 text
 * @param version of the list; empty if the body is no list
 * @param token to go on with; empty if there is none
 */
record ListParts(String rest, String version, String token) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern YAML_VERSION = Pattern.compile("(?m)^  resourceVersion: \"(\\d+)\"$");
    private static final Pattern YAML_TOKEN = Pattern.compile("(?m)^  continue: (\\S+)$");
    private static final Pattern RV = Pattern.compile("\"rv\":(-?\\d+)");

    /** Takes a body apart. */
    static ListParts of(String contentType, byte[] body) {
        String text = new String(body, StandardCharsets.ISO_8859_1);
        if (contentType.contains("json")) {
            return ofJson(body, text);
        }
        if (contentType.contains("yaml")) {
            Matcher version = YAML_VERSION.matcher(text);
            Matcher token = YAML_TOKEN.matcher(text);
            String found = token.find() ? token.group(1) : "";
            String rest = found.isEmpty() ? text : token.replaceFirst("  continue: T");
            return version.find() && text.contains("List\nmetadata:") || text.contains("\nitems:")
                    ? new ListParts(
                            YAML_VERSION.matcher(rest).replaceFirst("  resourceVersion: N"), version.group(1), found)
                    : new ListParts(text, "", "");
        }
        if (contentType.contains("protobuf")) {
            return ofProtobuf(body, text);
        }
        return new ListParts(text, "", "");
    }

    private static ListParts ofJson(byte[] body, String text) {
        String version = "";
        String token = "";
        boolean list = text.contains("\"items\":") || text.contains("\"rows\":");
        StringBuilder rest = new StringBuilder();
        int copied = 0;
        try (JsonParser parser = JSON.createParser(body)) {
            int depth = 0;
            String outer = "";
            for (JsonToken next = parser.nextToken(); next != null; next = parser.nextToken()) {
                if (next.isStructStart()) {
                    depth++;
                } else if (next.isStructEnd()) {
                    depth--;
                } else if (next == JsonToken.FIELD_NAME && depth == 1) {
                    outer = parser.currentName();
                } else if (next == JsonToken.VALUE_STRING && depth == 2 && outer.equals("metadata")) {
                    String name = parser.currentName();
                    if (list && (name.equals("resourceVersion") || name.equals("continue"))) {
                        String value = parser.getText();
                        int at = (int) parser.currentTokenLocation().getByteOffset();
                        rest.append(text, copied, at).append(value.isEmpty() ? "\"\"" : "*");
                        copied = at + value.length() + 2;
                        version = name.equals("continue") ? version : value;
                        token = name.equals("continue") ? value : token;
                    }
                }
            }
        } catch (IOException e) {
            return new ListParts(text, "", ""); // the other must say the same, whatever it is
        }
        return new ListParts(rest.append(text.substring(copied)).toString(), version, token);
    }

    /** A list is a message whose first field is the list's metadata; that of an object names it first. */
    private static ListParts ofProtobuf(byte[] body, String text) {
        try {
            Wire unknown = new Wire(body, 4, body.length);
            unknown.seek(1);
            Wire type = unknown.message();
            type.seek(2);
            Wire kind = type.message();
            if (!text.substring(kind.at, kind.end).endsWith("List")) {
                return new ListParts(text, "", "");
            }
            unknown.seek(2);
            Wire list = unknown.message();
            list.seek(1);
            Wire metadata = list.message();
            int begin = metadata.at;
            metadata.seek(2);
            Wire version = metadata.message();
            // Lengths before the metadata depend on the length of what is in it.
            String head = text.substring(0, 4) + "..." + text.substring(begin, version.at) + "*";
            String rest = text.substring(version.end, metadata.end);
            String token = "";
            if (metadata.at < metadata.end && text.charAt(metadata.at) == 0x1a) {
                metadata.seek(3);
                Wire next = metadata.message();
                token = text.substring(next.at, next.end);
                rest = (token.isEmpty() ? "" : "*") + text.substring(next.end, metadata.end);
            }
            return new ListParts(
                    head + rest + text.substring(metadata.end), text.substring(version.at, version.end), token);
        } catch (IndexOutOfBoundsException e) {
            return new ListParts(text, "", "");
        }
    }

    /** What a token says; without a slash before its key, which is there if the API server's watch cache has made it. */
    String place(boolean anyVersion) {
        return tokenWithout(anyVersion).replace("\"start\":\"/", "\"start\":\"");
    }

    /** What a token says, without its version if that is not to be compared. */
    String tokenWithout(boolean anyVersion) {
        if (token.isEmpty()) {
            return "";
        }
        byte[] decoded;
        try {
            decoded = Base64.getUrlDecoder().decode(token);
        } catch (IllegalArgumentException e) {
            return token;
        }
        String said = new String(decoded, StandardCharsets.ISO_8859_1);
        return anyVersion ? RV.matcher(said).replaceFirst("\"rv\":*") : said;
    }

    /** Protobuf fields of a range of bytes. */
    private static final class Wire {
        private final byte[] bytes;
        private int at;
        private final int end;

        Wire(byte[] bytes, int at, int end) {
            this.bytes = bytes;
            this.at = at;
            this.end = end;
        }

        /** Goes to the value of a field, past those of lower numbers. */
        void seek(int field) {
            while (true) {
                long tag = varint();
                if (tag >>> 3 == field && (tag & 7) == 2) {
                    return;
                }
                if ((tag & 7) == 2) {
                    message();
                } else if ((tag & 7) == 0) {
                    varint();
                } else {
                    throw new IndexOutOfBoundsException();
                }
            }
        }

        Wire message() {
            int length = (int) varint();
            Wire message = new Wire(bytes, at, at + length);
            at += length;
            if (length < 0 || at > end) {
                throw new IndexOutOfBoundsException(Arrays.toString(bytes));
            }
            return message;
        }

        private long varint() {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                if (at >= end) {
                    throw new IndexOutOfBoundsException(at);
                }
                byte next = bytes[at++];
                value |= (long) (next & 0x7f) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        }
    }
}
