package io.watchfan.k8s;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A request that both servers are asked.
 *
 * @param query in order; names may repeat
 */
record Ask(String method, String path, List<Parameter> query, Map<String, String> headers) {
    /** Means nothing to a server. */
    private static final String FOLLOWING = "following";

    Ask {
        query = List.copyOf(query);
        headers = new LinkedHashMap<>(headers);
    }

    /** One parameter, not encoded. */
    record Parameter(String name, String value) {}

    /** The first value of a parameter, which is the one that counts; empty without any. */
    String first(String name) {
        return query.stream()
                .filter(parameter -> parameter.name().equals(name))
                .map(Parameter::value)
                .findFirst()
                .orElse("");
    }

    boolean has(String name) {
        return query.stream().anyMatch(parameter -> parameter.name().equals(name));
    }

    /** Whether it is one, unless the servers find fault with it, or it names an object. */
    boolean isWatch() {
        return path.contains("/watch/")
                || has("watch")
                        && !first("watch").equals("0")
                        && !first("watch").equalsIgnoreCase("false");
    }

    /** The next page of the list that this asks for. */
    Ask following(String token) {
        List<Parameter> next = new ArrayList<>();
        next.add(new Parameter(FOLLOWING, "1"));
        for (Parameter parameter : query) {
            if (!parameter.name().startsWith("resourceVersion")
                    && !parameter.name().equals("continue")) {
                next.add(parameter);
            }
        }
        next.add(new Parameter("continue", token));
        return new Ask(method, path, next, headers);
    }

    /** Whether it is a next page. */
    boolean isFollowing() {
        return has(FOLLOWING);
    }

    /** Whether a watch begins with what there is. */
    boolean isStreamingList() {
        return has("sendInitialEvents")
                || first("resourceVersion").isEmpty()
                || first("resourceVersion").equals("0");
    }

    String accept() {
        return headers.getOrDefault("Accept", "");
    }

    /** Path and query as sent. */
    String target() {
        if (query.isEmpty()) {
            return path;
        }
        return path + "?"
                + query.stream()
                        .map(parameter -> parameter.name() + "="
                                + URLEncoder.encode(parameter.value(), StandardCharsets.UTF_8)
                                        .replace("+", "%20"))
                        .collect(Collectors.joining("&"));
    }

    @Override
    public String toString() {
        return method + " " + target() + " " + headers;
    }
}
