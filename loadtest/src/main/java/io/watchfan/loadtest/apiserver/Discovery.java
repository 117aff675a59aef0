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
        documents.put("/openapi/v3", ObjectJson.bytes(openApiIndex()));
        for (ResourceType type : ResourceType.ALL) {
            documents.computeIfAbsent(type.root(), root -> ObjectJson.bytes(resources(type)));
            documents.computeIfAbsent("/openapi/v3" + type.root(), root -> ObjectJson.bytes(openApi(type)));
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

    private static ObjectNode openApiIndex() {
        ObjectNode document = ObjectJson.object();
        ObjectNode paths = document.putObject("paths");
        ResourceType.ALL.forEach(type ->
                paths.putObject(type.root().substring(1)).put("serverRelativeURL", "/openapi/v3" + type.root()));
        return document;
    }

    /** As much as kubectl needs to leave validation to the server: which kinds take {@code fieldValidation}. */
    private static ObjectNode openApi(ResourceType one) {
        ObjectNode document = ObjectJson.object();
        document.put("openapi", "3.0.0");
        document.putObject("info").put("title", "Kubernetes").put("version", "v1.37.0");
        ObjectNode paths = document.putObject("paths");
        for (ResourceType type : ResourceType.ALL) {
            if (type.root().equals(one.root())) {
                String scope = type.namespaced() ? "/namespaces/{namespace}/" : "/";
                ObjectNode patch = paths.putObject(type.root() + scope + type.plural() + "/{name}")
                        .putObject("patch");
                ObjectNode parameter = patch.putArray("parameters").addObject();
                parameter.put("name", "fieldValidation").put("in", "query");
                parameter.putObject("schema").put("type", "string");
                patch.putObject("responses").putObject("200").put("description", "OK");
                ObjectNode kind = patch.putObject("x-kubernetes-group-version-kind");
                kind.put("group", type.group()).put("version", type.version()).put("kind", type.kind());
            }
        }
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
