package io.watchfan.loadtest.apiserver;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One request. Immutable.
 *
 * @param path decoded path
 * @param query decoded parameters; of repeated names the first value counts
 * @param body complete body; never null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared with another
record ApiRequest(HttpMethod method, String path, Map<String, List<String>> query, HttpHeaders headers, byte[] body) {

    static ApiRequest of(HttpMethod method, String uri, HttpHeaders headers, byte[] body) {
        QueryStringDecoder decoder = new QueryStringDecoder(uri);
        return new ApiRequest(method, decoder.path(), decoder.parameters(), headers, body);
    }

    /** The first value of a parameter; empty when it is absent. */
    String parameter(String name) {
        List<String> values = query.get(name);
        return values == null || values.isEmpty() ? "" : values.get(0);
    }

    /** Who asks; empty when that is not said. */
    String userAgent() {
        return headers.get(HttpHeaderNames.USER_AGENT, "");
    }

    boolean has(String name) {
        return query.containsKey(name);
    }

    /** A boolean as the API server reads it: only {@code 0} and {@code false} are false, and absence. */
    boolean flag(String name) {
        String value = parameter(name).toLowerCase(Locale.ROOT);
        return has(name) && !value.equals("0") && !value.equals("false");
    }

    /** An integer parameter; 0 when absent. */
    long integer(String name) {
        if (!has(name)) {
            return 0;
        }
        try {
            return Long.parseLong(parameter(name));
        } catch (NumberFormatException e) {
            throw ApiException.badRequest("strconv.ParseInt: parsing \"" + parameter(name) + "\": invalid syntax");
        }
    }
}
