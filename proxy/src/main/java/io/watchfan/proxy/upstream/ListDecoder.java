package io.watchfan.proxy.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.event.StoredObject;
import java.io.IOException;
import java.util.List;

/** Reads the body of a LIST, one page of it, in one pass. Confined to its feed's thread, as its extractor is. */
final class ListDecoder {
    private final AttributeExtractor extractor;
    private final byte[] prefix;

    /**
     * @param extractor reads the items
     * @param kind the items' kind, spliced in where they come without one (W-236)
     * @param apiVersion their apiVersion
     */
    ListDecoder(AttributeExtractor extractor, String kind, String apiVersion) {
        this.extractor = extractor;
        this.prefix = AttributeExtractor.utf8("\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion + "\",");
    }

    /** Reads {@code body} and adds its items to {@code into}. */
    ListHead decode(byte[] body, List<StoredObject> into) throws MalformedObjectException {
        String kind = "";
        String apiVersion = "";
        String version = "";
        String continueToken = "";
        boolean kindFirst = false;
        boolean first = true;
        boolean hasItems = false;
        Boolean itemsCarryKind = null;
        try (JsonParser parser = AttributeExtractor.json().createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new MalformedObjectException("a list is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (first) {
                    kindFirst = field.equals("kind");
                    first = false;
                }
                switch (field) {
                    case "kind" -> kind = parser.getText();
                    case "apiVersion" -> apiVersion = parser.getText();
                    case "metadata" -> {
                        while (parser.nextToken() == JsonToken.FIELD_NAME) {
                            String name = parser.currentName();
                            parser.nextToken();
                            switch (name) {
                                case "resourceVersion" -> version = parser.getText();
                                case "continue" -> continueToken = parser.getText();
                                default -> parser.skipChildren();
                            }
                        }
                    }
                    case "items" -> {
                        hasItems = true;
                        while (value == JsonToken.START_ARRAY && parser.nextToken() == JsonToken.START_OBJECT) {
                            int length = into.size();
                            int start = (int) parser.currentTokenLocation().getByteOffset();
                            into.add(extractor.object(parser, body, prefix));
                            if (itemsCarryKind == null) {
                                int end = (int) parser.currentLocation().getByteOffset();
                                itemsCarryKind = into.get(length).bytes().length == end - start;
                            }
                        }
                    }
                    default -> parser.skipChildren();
                }
            }
            if (parser.currentToken() != JsonToken.END_OBJECT) {
                throw new MalformedObjectException("a list ends early");
            }
        } catch (IOException e) {
            throw new MalformedObjectException("not JSON: " + AttributeExtractor.firstLine(e), e);
        }
        if (!hasItems || kind.isEmpty()) {
            throw new MalformedObjectException(
                    "not a list but " + (kind.isEmpty() ? "something without a kind" : kind));
        }
        return new ListHead(
                kind,
                apiVersion,
                Math.max(0, ResourceVersions.parse(version)),
                continueToken,
                kindFirst,
                itemsCarryKind);
    }
}
