package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The fixed documents by which clients find out what is served. Immutable. */
final class Discovery {
    private static final List<String> VERBS = List.of("create", "delete", "get", "list", "patch", "update", "watch");
    private static final Map<String, byte[]> DOCUMENTS = documents();

    private Discovery() {}

    /** The document at a path; null when there is none. The bytes are shared. */
    static byte[] document(String path) {
        return DOCUMENTS.get(path);
    }

    private static Map<String, byte[]> documents() {
        Map<String, byte[]> documents = new HashMap<>();
        documents.put("/version", ObjectJson.bytes(version()));
        documents.put("/api", ObjectJson.bytes(coreVersions()));
        documents.put("/apis", ObjectJson.bytes(groups()));
        for (ResourceType type : ResourceType.ALL) {
            documents.computeIfAbsent(type.root(), root -> ObjectJson.bytes(resources(type)));
            if (!type.group().isEmpty()) {
                documents.put("/apis/" + type.group(), ObjectJson.bytes(group(type, true)));
            }
        }
        return documents;
    }

    private static ObjectNode version() {
        ObjectNode version = ObjectJson.object();
        version.put("major", "1").put("minor", "37").put("gitVersion", "v1.37.0-simulated");
        version.put("gitCommit", "").put("gitTreeState", "clean").put("buildDate", "2026-01-01T00:00:00Z");
        version.put("goVersion", "none").put("compiler", "none").put("platform", "linux/amd64");
        return version;
    }

    private static ObjectNode coreVersions() {
        ObjectNode document = ObjectJson.object();
        document.put("kind", "APIVersions");
        document.putArray("versions").add("v1");
        document.putArray("serverAddressByClientCIDRs");
        return document;
    }

    private static ObjectNode groups() {
        ObjectNode document = ObjectJson.object();
        document.put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = document.putArray("groups");
        ResourceType.ALL.stream()
                .filter(type -> !type.group().isEmpty())
                .forEach(type -> groups.add(group(type, false)));
        return document;
    }

    private static ObjectNode group(ResourceType type, boolean standalone) {
        ObjectNode group = ObjectJson.object();
        if (standalone) {
            group.put("kind", "APIGroup").put("apiVersion", "v1");
        }
        group.put("name", type.group());
        putVersion(group.putArray("versions").addObject(), type);
        putVersion(group.putObject("preferredVersion"), type);
        return group;
    }

    private static void putVersion(ObjectNode node, ResourceType type) {
        node.put("groupVersion", type.apiVersion()).put("version", type.version());
    }

    private static ObjectNode resources(ResourceType one) {
        ObjectNode document = ObjectJson.object();
        document.put("kind", "APIResourceList").put("apiVersion", "v1").put("groupVersion", one.apiVersion());
        ArrayNode resources = document.putArray("resources");
        for (ResourceType type : ResourceType.ALL) {
            if (type.root().equals(one.root())) {
                ObjectNode resource = resources.addObject();
                resource.put("name", type.plural());
                resource.put("singularName", type.kind().toLowerCase(Locale.ROOT));
                resource.put("namespaced", type.namespaced());
                resource.put("kind", type.kind());
                ArrayNode verbs = resource.putArray("verbs");
                VERBS.forEach(verbs::add);
                shortName(type, resource);
            }
        }
        return document;
    }

    private static void shortName(ResourceType type, ObjectNode resource) {
        switch (type.kind()) {
            case "Pod" -> resource.putArray("shortNames").add("po");
            case "ConfigMap" -> resource.putArray("shortNames").add("cm");
            case "Namespace" -> resource.putArray("shortNames").add("ns");
            case "Node" -> resource.putArray("shortNames").add("no");
            default -> {}
        }
    }
}
