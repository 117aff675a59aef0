package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where the next page of a list begins, in the API server's form. Immutable.
 *
 * @param version the version of all pages; -1 for the latest
 * @param start the page has the keys above this one, which is relative to the scope of the request
 */
record ContinueToken(long version, String start) {
    private static final String API_VERSION = "meta.k8s.io/v1";

    String encode() {
        ObjectNode token = ObjectJson.object();
        token.put("v", API_VERSION);
        token.put("rv", version);
        token.put("start", start + "\0");
        return Base64.getUrlEncoder().withoutPadding().encodeToString(ObjectJson.bytes(token));
    }

    static ContinueToken decode(String text) {
        ObjectNode token;
        try {
            token = ObjectJson.parse(Base64.getUrlDecoder().decode(text.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest("invalid continue token: continue key is not valid: " + e.getMessage());
        }
        String start = token.path("start").asText();
        long version = token.path("rv").asLong();
        if (!token.path("v").asText().equals(API_VERSION)) {
            throw ApiException.badRequest("invalid continue token: server does not recognize this encoded version "
                    + token.path("v").asText());
        }
        if (version == 0) {
            throw ApiException.badRequest(
                    "invalid continue token: incorrect encoded start resourceVersion (version " + API_VERSION + ")");
        }
        if (start.isEmpty()) {
            throw ApiException.badRequest(
                    "invalid continue token: encoded start key empty (version " + API_VERSION + ")");
        }
        // With a slash in front, as the API server's watch cache has them, or without, as its storage has.
        String key = start.startsWith("/") ? start.substring(1) : start;
        return new ContinueToken(version, key.endsWith("\0") ? key.substring(0, key.length() - 1) : key);
    }
}
