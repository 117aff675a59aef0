package io.watchfan.proxy.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.request.GroupVersionResource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which field labels a resource's objects can be selected by: of built-in types it is known (W-170 to W-182), of custom
 * types their definition says it (W-183). Where the definition cannot be read, only name and namespace are known; selectors
 * by other fields are then passed through, and so no right to read definitions is needed.
 */
public final class SelectableFieldsSource {
    private static final Logger LOG = LoggerFactory.getLogger(SelectableFieldsSource.class);

    private final UpstreamClient client;

    /** Reads definitions through {@code client}. */
    public SelectableFieldsSource(UpstreamClient client) {
        this.client = client;
    }

    /** The fields of {@code resource}. Never fails; handlers may run on any thread. */
    public Future<SelectableFields> of(ApiResource resource) {
        GroupVersionResource gvr = resource.gvr();
        if (gvr.isBuiltIn()) {
            return Future.succeededFuture(SelectableFields.forBuiltIn(gvr.group(), gvr.version(), resource.kind()));
        }
        String path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + gvr.groupResource();
        return client.request(HttpMethod.GET, path)
                .compose(request -> request.putHeader("Accept", "application/json")
                        .idleTimeout(10_000)
                        .send())
                .compose(response -> response.body()
                        .map(body -> response.statusCode() == 200
                                ? parse(body.getBytes(), gvr.version())
                                : List.<String>of()))
                .map(paths -> SelectableFields.forCustom(resource.namespaced(), paths))
                .otherwise(e -> {
                    LOG.info("definition not read resource={} reason={}", gvr.groupResource(), e.getMessage());
                    return SelectableFields.forCustom(resource.namespaced(), List.of());
                });
    }

    private static List<String> parse(byte[] definition, String version) {
        try (JsonParser parser = AttributeExtractor.json().createParser(definition)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean spec = parser.currentName().equals("spec");
                JsonToken value = parser.nextToken();
                if (!spec || value != JsonToken.START_OBJECT) {
                    parser.skipChildren();
                    continue;
                }
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    boolean versions = parser.currentName().equals("versions");
                    JsonToken inner = parser.nextToken();
                    if (!versions || inner != JsonToken.START_ARRAY) {
                        parser.skipChildren();
                        continue;
                    }
                    List<String> found = null;
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        List<String> paths = parseVersion(parser, version);
                        found = paths == null ? found : paths;
                    }
                    return found == null ? List.of() : found;
                }
            }
        } catch (IOException e) {
            LOG.info("definition not read reason={}", AttributeExtractor.firstLine(e));
        }
        return List.of();
    }

    /** The selectable paths of the version that the parser is at; null when it is another version. */
    private static List<String> parseVersion(JsonParser parser, String version) throws IOException {
        List<String> paths = new ArrayList<>();
        String name = "";
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("name")) {
                name = parser.getText();
            } else if (field.equals("selectableFields") && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() == JsonToken.START_OBJECT) {
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        boolean path = parser.currentName().equals("jsonPath");
                        parser.nextToken();
                        if (path) {
                            String text = parser.getText();
                            paths.add(text.startsWith(".") ? text.substring(1) : text);
                        } else {
                            parser.skipChildren();
                        }
                    }
                }
            } else {
                parser.skipChildren();
            }
        }
        return name.equals(version) ? paths : null;
    }
}
