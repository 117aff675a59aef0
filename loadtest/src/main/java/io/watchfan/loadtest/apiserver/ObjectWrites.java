package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;

/** Creates, replaces, patches and deletes objects on request. Confined to the server's event loop. */
final class ObjectWrites {
    private final SimulatedCluster cluster;
    private final Random random;

    ObjectWrites(SimulatedCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    void handle(ApiRequest request, ApiPath path, ApiConnection connection) {
        HttpMethod method = request.method();
        if (method.equals(HttpMethod.POST) && path.name().isEmpty()) {
            StoredObject created = create(path, ObjectJson.parse(checkedBody(request)));
            cluster.tellWatches();
            connection.json(201, line(created));
        } else if (method.equals(HttpMethod.PUT) && !path.name().isEmpty()) {
            StoredObject replaced = replace(path, ObjectJson.parse(checkedBody(request)));
            cluster.tellWatches();
            connection.json(200, line(replaced));
        } else if (method.equals(HttpMethod.PATCH) && !path.name().isEmpty()) {
            StoredObject patched = patch(path, request);
            cluster.tellWatches();
            connection.json(200, line(patched));
        } else if (method.equals(HttpMethod.DELETE) && !path.name().isEmpty()) {
            StoredObject last = existing(path);
            cluster.delete(path.type(), path.key());
            cluster.tellWatches();
            connection.json(200, line(last));
        } else {
            throw ApiException.methodNotAllowed();
        }
    }

    /** An object as the body of an answer. */
    static byte[] line(StoredObject object) {
        byte[] body = Arrays.copyOf(object.json(), object.json().length + 1);
        body[body.length - 1] = '\n';
        return body;
    }

    private static byte[] checkedBody(ApiRequest request) {
        if (request.headers().get(HttpHeaderNames.CONTENT_TYPE, "").startsWith("application/vnd.kubernetes.protobuf")) {
            throw new ApiException(415, "UnsupportedMediaType", "the simulated API server takes JSON only");
        }
        try {
            ObjectJson.parse(request.body());
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest("the object provided is unrecognized: " + e.getMessage());
        }
        return request.body();
    }

    private StoredObject existing(ApiPath path) {
        StoredObject object = cluster.store(path.type()).get(path.key());
        if (object == null) {
            throw ApiException.notFound(path.type(), path.name());
        }
        return object;
    }

    private StoredObject create(ApiPath path, ObjectNode object) {
        ObjectNode metadata = ObjectJson.metadata(object);
        String name = metadata.path("name").asText();
        if (name.isEmpty() && !metadata.path("generateName").asText().isEmpty()) {
            name = metadata.path("generateName").asText() + Integer.toString(random.nextInt(1 << 25), 36);
            metadata.put("name", name);
        }
        if (name.isEmpty()) {
            throw ApiException.badRequest("name or generateName is required");
        }
        if (path.type().namespaced()) {
            if (path.namespace().isEmpty()) {
                throw ApiException.methodNotAllowed();
            }
            metadata.put("namespace", path.namespace());
        }
        ApiPath named = new ApiPath(path.type(), path.namespace(), name, "", false);
        if (cluster.store(path.type()).get(named.key()) != null) {
            throw ApiException.alreadyExists(path.type(), name);
        }
        metadata.put("uid", new UUID(random.nextLong(), random.nextLong()).toString());
        metadata.put(
                "creationTimestamp",
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        return put(path, object);
    }

    private StoredObject replace(ApiPath path, ObjectNode object) {
        StoredObject before = existing(path);
        ObjectNode metadata = ObjectJson.metadata(object);
        String version = metadata.path("resourceVersion").asText();
        if (!version.isEmpty() && !version.equals(Long.toString(before.resourceVersion()))) {
            throw ApiException.conflict(path.type(), path.name());
        }
        return putOver(path, before, object);
    }

    private StoredObject patch(ApiPath path, ApiRequest request) {
        String contentType = request.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        if (!contentType.startsWith("application/merge-patch+json")
                && !contentType.startsWith("application/strategic-merge-patch+json")) {
            throw new ApiException(
                    415,
                    "UnsupportedMediaType",
                    "the body of the request was in an unknown format - accepted media types include:"
                            + " application/merge-patch+json, application/strategic-merge-patch+json");
        }
        StoredObject before = existing(path);
        ObjectNode object = ObjectJson.parse(before.json());
        merge(object, ObjectJson.parse(checkedBody(request)));
        return putOver(path, before, object);
    }

    /** What no write can change stays. */
    private StoredObject putOver(ApiPath path, StoredObject before, ObjectNode object) {
        JsonNode old = ObjectJson.metadata(ObjectJson.parse(before.json()));
        ObjectNode metadata = ObjectJson.metadata(object);
        metadata.put("name", before.name());
        if (!before.namespace().isEmpty()) {
            metadata.put("namespace", before.namespace());
        }
        metadata.set("uid", old.get("uid"));
        metadata.set("creationTimestamp", old.get("creationTimestamp"));
        return put(path, object);
    }

    private StoredObject put(ApiPath path, ObjectNode object) {
        // A change by hand was not due at any time.
        if (ObjectJson.metadata(object).get("annotations") instanceof ObjectNode annotations) {
            annotations.remove(ObjectJson.PLANNED_NANOS);
        }
        return cluster.put(path.type(), object);
    }

    /** JSON merge patch, RFC 7386. */
    private static void merge(ObjectNode target, ObjectNode patch) {
        patch.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            if (value.isNull()) {
                target.remove(entry.getKey());
            } else if (value instanceof ObjectNode nested) {
                ObjectNode into = target.get(entry.getKey()) instanceof ObjectNode existing
                        ? existing
                        : target.putObject(entry.getKey());
                merge(into, nested);
            } else {
                target.set(entry.getKey(), value);
            }
        });
    }
}
