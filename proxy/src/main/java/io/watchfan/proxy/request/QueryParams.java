package io.watchfan.proxy.request;

import java.util.HashMap;
import java.util.Map;

/**
 * The parameters of a query string as Go's {@code url.ParseQuery} reads them (spec 1.2): {@code &} separates, empty pairs
 * are skipped (kube-rs sends {@code ?&limit=500}), {@code +} is a space, and a pair that holds a semicolon or a broken
 * percent escape is dropped without an error. Names are case-sensitive; of several values the first counts.
 *
 * <p>The cost is linear in the length of the query.
 */
public final class QueryParams {
    /** The most pairs that Go reads; of a query with more it reads none. */
    static final int MAX_PAIRS = 10_000;

    private static final QueryParams EMPTY = new QueryParams(Map.of());

    private final Map<String, String> firstValues;

    private QueryParams(Map<String, String> firstValues) {
        this.firstValues = firstValues;
    }

    /**
     * Reads a raw query, without its question mark, one char per byte as it came.
     *
     * @param rawQuery null or empty for none
     */
    public static QueryParams parse(String rawQuery) {
        if (rawQuery == null
                || rawQuery.isEmpty()
                || rawQuery.chars().filter(c -> c == '&').count() >= MAX_PAIRS) {
            return EMPTY;
        }
        Map<String, String> values = new HashMap<>();
        int begin = 0;
        while (begin < rawQuery.length()) {
            int end = rawQuery.indexOf('&', begin);
            end = end < 0 ? rawQuery.length() : end;
            if (end > begin) {
                addPair(values, rawQuery.substring(begin, end));
            }
            begin = end + 1;
        }
        return new QueryParams(values);
    }

    private static void addPair(Map<String, String> values, String pair) {
        if (pair.indexOf(';') >= 0) {
            return;
        }
        int equals = pair.indexOf('=');
        String name = GoText.unescape(equals < 0 ? pair : pair.substring(0, equals), true);
        String value = GoText.unescape(equals < 0 ? "" : pair.substring(equals + 1), true);
        if (name != null && value != null) {
            values.putIfAbsent(name, value);
        }
    }

    /** The decoded first value of this name; empty for {@code ?name} and {@code ?name=}, null when it is absent. */
    public String first(String name) {
        return firstValues.get(name);
    }

    /** Whether the name is there, with a value or without. */
    public boolean has(String name) {
        return firstValues.containsKey(name);
    }

    /** The first value, empty when the name is absent: what Go's {@code Values.Get} gives. */
    String get(String name) {
        return firstValues.getOrDefault(name, "");
    }
}
