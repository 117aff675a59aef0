package io.watchfan.proxy.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The file named by {@code --config}: one mapping of flag names to values or lists of values, read as flags. */
final class ConfigFile {
    private static final long MOST_BYTES = 1 << 20;

    private ConfigFile() {}

    /**
     * The file's content as arguments, {@code --key=value} each.
     *
     * @param known the flags that may stand in it
     * @throws UsageException if it cannot be read, is no such mapping, or has a key that is no flag
     */
    static List<String> asFlags(Path file, Set<String> known) {
        JsonNode root = read(file);
        if (root == null || root.isMissingNode() || root.isNull()) {
            return List.of();
        }
        if (!root.isObject()) {
            throw wrong(file, "is not a YAML mapping of flags to values");
        }
        List<String> flags = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            String flag = "--" + entry.getKey();
            if (!known.contains(flag)) {
                throw wrong(file, "unknown key '" + entry.getKey() + "'");
            }
            for (JsonNode value : entry.getValue().isArray() ? entry.getValue() : List.of(entry.getValue())) {
                if (!value.isValueNode() || value.isNull()) {
                    throw wrong(file, entry.getKey() + ": must be a value or a list of values");
                }
                flags.add(flag + "=" + value.asText());
            }
        }
        return flags;
    }

    private static JsonNode read(Path file) {
        ObjectMapper mapper = new ObjectMapper(new YAMLFactory())
                .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        try {
            if (Files.isDirectory(file)) {
                throw wrong(file, "is a directory");
            }
            if (Files.size(file) > MOST_BYTES) {
                throw wrong(file, "is larger than 1 MiB");
            }
            return mapper.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw wrong(
                    file,
                    "is not valid YAML: "
                            + e.getOriginalMessage().lines().findFirst().orElse("") + at(e));
        } catch (NoSuchFileException e) {
            throw wrong(file, "does not exist");
        } catch (IOException e) {
            throw wrong(file, "cannot be read: " + e.getMessage());
        }
    }

    private static String at(JsonProcessingException e) {
        JsonLocation location = e.getLocation();
        return location == null ? "" : " (line " + location.getLineNr() + ")";
    }

    private static UsageException wrong(Path file, String what) {
        return new UsageException(ConfigLoader.CONFIG_FLAG + ": " + file + " " + what);
    }
}
