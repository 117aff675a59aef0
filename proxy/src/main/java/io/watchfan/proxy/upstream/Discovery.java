package io.watchfan.proxy.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.Future;
import io.watchfan.proxy.request.GroupVersionResource;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What resources the API server has, as its discovery documents tell, one document per group and version. A document is kept
 * for a while; a resource that it does not hold is looked for again in a fresh one, so that a new type is found at once. One
 * request at a time per document, however many ask. At most {@value #MOST} documents are kept, the least recently used go.
 *
 * <p>Safe for any thread; the lock is held for map look-ups only.
 */
public final class Discovery {
    private static final int MOST = 512;
    private static final long TIMEOUT_MILLIS = 30_000;
    private static final long FRESH_NANOS = 60_000_000_000L;
    /** A document so young is believed when it says that a resource is not there. */
    private static final long MISSING_NANOS = 500_000_000L;

    private final UpstreamClient client;
    private final LongSupplier nanoClock;
    private final Map<String, Document> documents = new LinkedHashMap<>(16, 0.75f, true);

    /** The resources of one group and version; {@code resources} is null while it is being fetched for the first time. */
    private static final class Document {
        Map<String, ApiResource> resources;
        long fetchedNanos;
        Future<Map<String, ApiResource>> fetching;
    }

    /** Discovery through {@code client}; {@code nanoClock} tells monotonic nanoseconds. */
    public Discovery(UpstreamClient client, LongSupplier nanoClock) {
        this.client = client;
        this.nanoClock = nanoClock;
    }

    /**
     * The resource of this name.
     *
     * @return a future of it, null within when the API server does not have it; failed when the document cannot be had. Its
     *     handlers may run on any thread
     */
    public Future<ApiResource> find(GroupVersionResource gvr) {
        synchronized (documents) {
            Document document = documents.get(gvr.discoveryPath());
            if (document != null && document.resources != null) {
                long age = nanoClock.getAsLong() - document.fetchedNanos;
                ApiResource known = document.resources.get(gvr.resource());
                if (known != null ? age < FRESH_NANOS : age < MISSING_NANOS) {
                    return Future.succeededFuture(known);
                }
            }
        }
        return fetch(gvr).map(resources -> resources.get(gvr.resource()));
    }

    /** The version of {@code group} that the API server prefers; fails when the group cannot be found. */
    public Future<String> preferredVersion(String group) {
        if (group.isEmpty()) {
            return Future.succeededFuture("v1");
        }
        return client.get("/apis/" + group, TIMEOUT_MILLIS).compose(answer -> {
            if (answer.code() != 200) {
                return Future.failedFuture(new UpstreamStatusException(answer.code(), answer.headers(), answer.body()));
            }
            String version = parsePreferred(answer.body().getBytes());
            return version.isEmpty()
                    ? Future.failedFuture("the API server names no version of the group " + group)
                    : Future.succeededFuture(version);
        });
    }

    private static String parsePreferred(byte[] body) {
        try (JsonParser parser = AttributeExtractor.json().createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean preferred = parser.currentName().equals("preferredVersion");
                if (parser.nextToken() != JsonToken.START_OBJECT || !preferred) {
                    parser.skipChildren();
                    continue;
                }
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    boolean version = parser.currentName().equals("version");
                    parser.nextToken();
                    if (version) {
                        return parser.getText();
                    }
                    parser.skipChildren();
                }
            }
            return "";
        } catch (IOException e) {
            throw new IllegalStateException("not an API group: " + AttributeExtractor.firstLine(e), e);
        }
    }

    /** Forgets what is known of the group and version of {@code gvr}. */
    public void forget(GroupVersionResource gvr) {
        synchronized (documents) {
            documents.remove(gvr.discoveryPath());
        }
    }

    private Future<Map<String, ApiResource>> fetch(GroupVersionResource gvr) {
        String path = gvr.discoveryPath();
        Future<Map<String, ApiResource>> fetching;
        Document document;
        synchronized (documents) {
            document = documents.computeIfAbsent(path, p -> new Document());
            if (document.fetching != null) {
                return document.fetching;
            }
            fetching = request(gvr);
            document.fetching = fetching;
            if (documents.size() > MOST) {
                documents.remove(documents.keySet().iterator().next());
            }
        }
        fetching.onComplete(result -> {
            synchronized (documents) {
                document.fetching = null;
                if (result.succeeded()) {
                    document.resources = result.result();
                    document.fetchedNanos = nanoClock.getAsLong();
                }
                if (document.resources == null || document.resources.isEmpty()) {
                    documents.remove(path, document);
                }
            }
        });
        return fetching;
    }

    private Future<Map<String, ApiResource>> request(GroupVersionResource gvr) {
        return client.get(gvr.discoveryPath(), TIMEOUT_MILLIS).map(answer -> switch (answer.code()) {
            case 200 -> parse(gvr, answer.body().getBytes());
            case 404 -> Map.<String, ApiResource>of();
            default -> throw new UpstreamStatusException(answer.code(), answer.headers(), answer.body());
        });
    }

    private static Map<String, ApiResource> parse(GroupVersionResource of, byte[] body) {
        Map<String, ApiResource> found = new HashMap<>();
        try (JsonParser parser = AttributeExtractor.json().createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("resources") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        ApiResource resource = parseResource(of, parser);
                        found.put(resource.gvr().resource(), resource);
                    }
                } else {
                    parser.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(
                    "the discovery document " + of.discoveryPath() + " cannot be read: "
                            + AttributeExtractor.firstLine(e),
                    e);
        }
        return found;
    }

    private static ApiResource parseResource(GroupVersionResource of, JsonParser parser) throws IOException {
        String name = "";
        String kind = "";
        boolean namespaced = false;
        Set<String> verbs = new HashSet<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (field) {
                case "name" -> name = parser.getText();
                case "kind" -> kind = parser.getText();
                case "namespaced" -> namespaced = value == JsonToken.VALUE_TRUE;
                case "verbs" -> {
                    while (value == JsonToken.START_ARRAY && parser.nextToken() != JsonToken.END_ARRAY) {
                        verbs.add(parser.getText());
                    }
                }
                default -> parser.skipChildren();
            }
        }
        return new ApiResource(
                new GroupVersionResource(of.group(), of.version(), name), kind, namespaced, Set.copyOf(verbs));
    }
}
