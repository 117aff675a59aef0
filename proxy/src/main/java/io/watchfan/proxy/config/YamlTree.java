package io.watchfan.proxy.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A YAML file (JSON is YAML) as maps, lists and strings. Scalars stay the text that stands in the file, since numbers and
 * the like would lose their form; null stays null. Only the first document is read.
 */
public final class YamlTree {
    private static final long MOST_BYTES = 16 << 20;

    private YamlTree() {}

    /**
     * Reads the mapping that is the file; empty if there is nothing in it. Blocks.
     *
     * @param what the flag or variable that names the file, for errors
     * @throws UsageException if the file cannot be read or is no mapping
     */
    public static Map<String, Object> read(String what, Path file) {
        try (JsonParser parser = YAMLFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build()
                .createParser(bytes(what, file))) {
            JsonToken first = parser.nextToken();
            if (first == null || first == JsonToken.VALUE_NULL) {
                return Map.of();
            }
            if (first != JsonToken.START_OBJECT) {
                throw new UsageException(what + ": " + file + " is not a YAML mapping");
            }
            return mapping(parser);
        } catch (JsonProcessingException e) {
            String problem = e.getOriginalMessage().lines().findFirst().orElse("");
            throw new UsageException(what + ": " + file + " is not valid YAML" + at(e) + ": " + problem);
        } catch (NoSuchFileException e) {
            throw new UsageException(what + ": " + file + " does not exist");
        } catch (AccessDeniedException e) {
            throw new UsageException(what + ": " + file + " may not be read");
        } catch (IOException e) {
            throw new UsageException(what + ": " + file + " cannot be read: " + e.getMessage());
        }
    }

    private static byte[] bytes(String what, Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new UsageException(what + ": " + file + " is a directory");
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new UsageException(what + ": " + file + " is larger than 16 MiB");
        }
        return Files.readAllBytes(file);
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> mapping(parser);
            case START_ARRAY -> sequence(parser);
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private static Map<String, Object> mapping(JsonParser parser) throws IOException {
        Map<String, Object> entries = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            entries.put(key, value(parser));
        }
        return entries;
    }

    private static List<Object> sequence(JsonParser parser) throws IOException {
        List<Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser));
        }
        return items;
    }

    private static String at(JsonProcessingException e) {
        JsonLocation location = e.getLocation();
        return location == null ? "" : " (line " + location.getLineNr() + ")";
    }
}
