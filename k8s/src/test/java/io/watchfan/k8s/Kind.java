package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;

/** The kinds of objects that clients are tested with; each object holds a value. */
enum Kind {
    CONFIGMAPS("configmaps", "/api/v1", ",\"data\":{\"k\":%s}", ""),
    PODS("pods", "/api/v1", "", ",\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"),
    LEASES("leases", "/apis/coordination.k8s.io/v1", ",\"spec\":{\"holderIdentity\":%s}", "");

    private final String resource;
    private final String group;
    private final String changing;
    private final String lasting;

    Kind(String resource, String group, String changing, String lasting) {
        this.resource = resource;
        this.group = group;
        this.changing = changing;
        this.lasting = lasting;
    }

    String resource() {
        return resource;
    }

    /** The objects of a namespace. */
    String path(String namespace) {
        return group + "/namespaces/" + namespace + "/" + resource;
    }

    /** An object with this value, to be created. */
    String object(String name, String value) {
        return "{" + metadata(name, value) + changing.formatted(Json.quote(value)) + lasting + "}";
    }

    /** A merge patch that sets the value. */
    String patch(String name, String value) {
        return "{" + metadata(name, value) + changing.formatted(Json.quote(value)) + "}";
    }

    private static String metadata(String name, String value) {
        return "\"metadata\":{\"name\":%s,\"annotations\":{\"k\":%s}}".formatted(Json.quote(name), Json.quote(value));
    }

    /** The value of an object of any kind. */
    static String value(JsonNode object) {
        return object.path("metadata").path("annotations").path("k").asText();
    }
}
