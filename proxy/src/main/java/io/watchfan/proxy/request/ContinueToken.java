package io.watchfan.proxy.request;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a list goes on (W-241 to W-243): opaque to clients, and of the API server's own format, so that a token of one
 * may be continued by the other.
 *
 * @param resourceVersion the version at which the list is to go on; negative for whatever is current, as in the API server's
 *     answer to an expired token (W-073); never 0
 * @param start the least key that is still due, relative to the scope of the request: the last returned key and a NUL.
 *     Keys are {@code ns/name} in a list of all namespaces, else {@code name}; compare their UTF-8 bytewise
 */
public record ContinueToken(long resourceVersion, String start) {
    private static final String VERSION = "meta.k8s.io/v1";
    private static final String NOT_VALID = "continue key is not valid";

    /** Refuses what {@link #decode} would refuse as an absent version or key. */
    public ContinueToken {
        if (resourceVersion == 0 || start == null) {
            throw new IllegalArgumentException("resourceVersion " + resourceVersion + ", start " + start);
        }
    }

    /**
     * The token for the page after the one that ends with {@code lastKey}.
     *
     * @param resourceVersion above 0
     * @param lastKey the key of the last object of the page, relative to the scope of the request; not empty
     */
    public static ContinueToken after(long resourceVersion, String lastKey) {
        return new ContinueToken(resourceVersion, lastKey + '\0');
    }

    /** Whether the list goes on at the current version and not at that of its first page. */
    public boolean isLatest() {
        return resourceVersion < 0;
    }

    /** The value of {@code metadata.continue}: base64 for URLs, without padding. */
    public String encode() {
        String json =
                "{\"v\":\"" + VERSION + "\",\"rv\":" + resourceVersion + ",\"start\":" + GoText.jsonQuote(start) + "}";
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads the value of the parameter {@code continue}.
     *
     * @throws StatusException 400 with the text of W-243 when it is no token
     */
    public static ContinueToken decode(String token) {
        try {
            return read(token);
        } catch (GoParseException e) {
            throw new StatusException(StatusBody.badRequest("invalid continue token: " + e.getMessage()));
        }
    }

    private static ContinueToken read(String token) throws GoParseException {
        ContinueTokenJson json;
        try {
            json = ContinueTokenJson.read(decodeBase64(token));
        } catch (GoParseException e) {
            throw new GoParseException(NOT_VALID + ": " + e.getMessage());
        }
        if (!json.version().equals(VERSION)) {
            throw new GoParseException(
                    NOT_VALID + ": server does not recognize this encoded version " + json.version());
        }
        if (json.resourceVersion() == 0) {
            throw new GoParseException(
                    NOT_VALID + ": incorrect encoded start resourceVersion (version " + VERSION + ")");
        }
        if (json.start().isEmpty()) {
            throw new GoParseException(NOT_VALID + ": encoded start key empty (version " + VERSION + ")");
        }
        String key = json.start().startsWith("/") ? json.start().substring(1) : json.start();
        if (!isClean(key)) {
            throw new GoParseException(NOT_VALID + ": " + json.start());
        }
        return new ContinueToken(json.resourceVersion(), key);
    }

    /** Whether the key stays within its scope as a path: no empty segment, no dots alone. */
    private static boolean isClean(String key) {
        if (key.isEmpty()) {
            return true;
        }
        for (String segment : key.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                return false;
            }
        }
        return true;
    }

    /** As Go's {@code base64.RawURLEncoding}: line breaks are skipped, padding is an error, stray last bits are not. */
    private static byte[] decodeBase64(String text) throws GoParseException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int bits = 0;
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\r' || c == '\n') {
                continue;
            }
            int value = base64Value(c);
            if (value < 0) {
                throw corruptAt(i);
            }
            bits = bits << 6 | value;
            count++;
            if (count % 4 != 1) {
                bytes.write(bits >> (6 - 2 * ((count - 1) % 4)));
            }
        }
        if (count % 4 == 1) {
            throw corruptAt(text.length() - 1);
        }
        return bytes.toByteArray();
    }

    private static int base64Value(char c) {
        return switch (c) {
            case '-' -> 62;
            case '_' -> 63;
            default -> {
                if (!GoText.isAsciiAlphanumeric(c)) {
                    yield -1;
                }
                yield c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c - '0' + 52;
            }
        };
    }

    private static GoParseException corruptAt(int index) {
        return new GoParseException("illegal base64 data at input byte " + index);
    }
}
