package io.watchfan.proxy.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.Future;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.request.GroupVersionResource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the objects of resources are defined: of built-in types by the API server's release, of custom types by their definition
 * as well, which also says what their objects can be selected by (W-183). Where a definition cannot be read, only name and
 * namespace are known; selectors by other fields are then passed through, and so no right to read definitions is needed.
 */
public final class TypeDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(TypeDefinitions.class);
    private static final long TIMEOUT_MILLIS = 10_000;

    private final UpstreamClient client;

    /** Reads definitions through {@code client}. */
    public TypeDefinitions(UpstreamClient client) {
        this.client = client;
    }

    /** The definition of {@code resource} as it is now. Never fails; handlers may run on any thread. */
    public Future<TypeDefinition> of(ApiResource resource) {
        GroupVersionResource gvr = resource.gvr();
        Future<String> server = get("/version").map(body -> body == null ? "" : text(body, "gitVersion"));
        if (gvr.isBuiltIn()) {
            SelectableFields fields = SelectableFields.forBuiltIn(gvr.group(), gvr.version(), resource.kind());
            return server.map(release -> new TypeDefinition(fields, release, "", ""));
        }
        Future<byte[]> definition =
                get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + gvr.groupResource());
        return server.compose(release -> definition.map(body -> custom(resource, release, body)));
    }

    /** The body of an answer; null when there is none. */
    private Future<byte[]> get(String path) {
        return client.get(path, TIMEOUT_MILLIS)
                .map(answer -> answer.code() == 200 ? answer.body().getBytes() : null)
                .otherwise(e -> {
                    LOG.info("definition not read path={} reason={}", path, e.getMessage());
                    return null;
                });
    }

    private static TypeDefinition custom(ApiResource resource, String release, byte[] body) {
        Parsed parsed = new Parsed();
        if (body != null) {
            try (JsonParser parser = AttributeExtractor.json().createParser(body)) {
                parser.nextToken();
                parsed.read(parser, resource.gvr().version());
            } catch (IOException e) {
                LOG.info("definition not read reason={}", AttributeExtractor.firstLine(e));
            }
        }
        return new TypeDefinition(
                SelectableFields.forCustom(resource.namespaced(), parsed.paths),
                release,
                parsed.uid,
                parsed.generation);
    }

    private static String text(byte[] body, String name) {
        try (JsonParser parser = AttributeExtractor.json().createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = parser.currentName().equals(name);
                parser.nextToken();
                if (wanted) {
                    return parser.getText();
                }
                parser.skipChildren();
            }
        } catch (IOException e) {
            LOG.info("release not read reason={}", AttributeExtractor.firstLine(e));
        }
        return "";
    }

    /** What is taken from a definition. */
    private static final class Parsed {
        private String uid = "";
        private String generation = "";
        private List<String> paths = List.of();

        void read(JsonParser parser, String version) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                    readMetadata(parser);
                } else if (field.equals("spec") && value == JsonToken.START_OBJECT) {
                    readSpec(parser, version);
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void readMetadata(JsonParser parser) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                parser.nextToken();
                switch (field) {
                    case "uid" -> uid = parser.getText();
                    case "generation" -> generation = parser.getText();
                    default -> parser.skipChildren();
                }
            }
        }

        private void readSpec(JsonParser parser, String version) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean versions = parser.currentName().equals("versions");
                JsonToken value = parser.nextToken();
                if (!versions || value != JsonToken.START_ARRAY) {
                    parser.skipChildren();
                    continue;
                }
                while (parser.nextToken() == JsonToken.START_OBJECT) {
                    List<String> found = readVersion(parser, version);
                    paths = found == null ? paths : found;
                }
            }
        }

        /** The selectable paths of the version that the parser is at; null when it is another version. */
        private static List<String> readVersion(JsonParser parser, String version) throws IOException {
            List<String> found = new ArrayList<>();
            String name = "";
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("name")) {
                    name = parser.getText();
                } else if (field.equals("selectableFields") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        readSelectable(parser, found);
                    }
                } else {
                    parser.skipChildren();
                }
            }
            return name.equals(version) ? found : null;
        }

        private static void readSelectable(JsonParser parser, List<String> into) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean path = parser.currentName().equals("jsonPath");
                parser.nextToken();
                if (path) {
                    String text = parser.getText();
                    into.add(text.startsWith(".") ? text.substring(1) : text);
                } else {
                    parser.skipChildren();
                }
            }
        }
    }
}
