package io.watchfan.loadtest.apiserver;

import java.util.ArrayList;
import java.util.List;

/**
 * What a path names. Immutable.
 *
 * @param namespace empty for all namespaces and for cluster-scoped resources
 * @param name empty for the collection
 * @param subresource empty for the object itself
 * @param watchPrefix whether it is the deprecated form below {@code /watch/}, which is always a watch
 */
record ApiPath(ResourceType type, String namespace, String name, String subresource, boolean watchPrefix) {

    /** The resource that a path names; null when it names none. */
    static ApiPath parse(String path) {
        List<String> parts = new ArrayList<>(List.of(path.substring(1).split("/", -1)));
        String group = "";
        if (parts.get(0).equals("apis") && parts.size() > 3) {
            group = parts.get(1);
            parts.remove(1);
        } else if (!parts.get(0).equals("api") || parts.size() < 3) {
            return null;
        }
        String version = parts.get(1);
        boolean watchPrefix = parts.get(2).equals("watch") && parts.size() > 3;
        List<String> rest = parts.subList(watchPrefix ? 3 : 2, parts.size());
        return resolve(group, version, rest, watchPrefix);
    }

    private static ApiPath resolve(String group, String version, List<String> parts, boolean watchPrefix) {
        boolean inNamespace = parts.get(0).equals("namespaces") && parts.size() > 2;
        String namespace = inNamespace ? parts.get(1) : "";
        List<String> rest = inNamespace ? parts.subList(2, parts.size()) : parts;
        for (ResourceType type : ResourceType.ALL) {
            if (type.group().equals(group)
                    && type.version().equals(version)
                    && type.plural().equals(rest.get(0))
                    && (type.namespaced() || !inNamespace)
                    && rest.size() <= 3) {
                return new ApiPath(
                        type,
                        namespace,
                        rest.size() > 1 ? rest.get(1) : "",
                        rest.size() > 2 ? rest.get(2) : "",
                        watchPrefix);
            }
        }
        return null;
    }

    /** The storage key of the named object. */
    String key() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
