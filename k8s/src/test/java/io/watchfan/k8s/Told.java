package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What an informer tells of an object.
 *
 * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, or {@code APPLIED} for either of the first two
 * @param value what the last change of the object set
 */
record Told(String type, String name, long version, String value) {
    /** As a client under test writes it. */
    static Told ofLine(JsonNode line) {
        return new Told(
                line.path("event").asText(),
                line.path("name").asText(),
                line.path("version").asLong(-1),
                line.path("value").asText());
    }

    /** As a watch does. */
    static Told ofEvent(JsonNode event) {
        return of(event.path("type").asText(), event.path("object"));
    }

    static Told added(JsonNode object) {
        return of("ADDED", object);
    }

    private static Told of(String type, JsonNode object) {
        return new Told(type, object.path("metadata").path("name").asText(), Json.version(object), Kind.value(object));
    }

    boolean isDeleted() {
        return type.equals("DELETED");
    }

    /** As one tells it who does not tell what is added from what is modified. */
    Told applied() {
        return isDeleted() ? this : new Told("APPLIED", name, version, value);
    }

    /** What is held of an object that this is the last word of. */
    String held() {
        return version + "=" + value;
    }

    @Override
    public String toString() {
        return type + " " + name + "@" + held();
    }
}
