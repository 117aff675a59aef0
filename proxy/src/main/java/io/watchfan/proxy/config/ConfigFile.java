package io.watchfan.proxy.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The file named by {@code --config}: one mapping of flag names to values or lists of values, read as flags. */
final class ConfigFile {
    private ConfigFile() {}

    /**
     * The file's content as arguments, {@code --key=value} each.
     *
     * @param known the flags that may stand in it
     * @throws UsageException if it cannot be read, is no such mapping, or has a key that is no flag
     */
    static List<String> asFlags(Path file, Set<String> known) {
        List<String> flags = new ArrayList<>();
        for (Map.Entry<String, Object> entry :
                YamlTree.read(ConfigLoader.CONFIG_FLAG, file).entrySet()) {
            String flag = "--" + entry.getKey();
            if (!known.contains(flag)) {
                throw wrong(file, "unknown key '" + entry.getKey() + "'");
            }
            List<?> values = entry.getValue() instanceof List<?> list ? list : Arrays.asList(entry.getValue());
            for (Object value : values) {
                if (!(value instanceof String text) || text.isEmpty()) {
                    throw wrong(file, entry.getKey() + ": must be a value or a list of values");
                }
                flags.add(flag + "=" + text);
            }
        }
        return flags;
    }

    private static UsageException wrong(Path file, String what) {
        return new UsageException(ConfigLoader.CONFIG_FLAG + ": " + file + ": " + what);
    }
}
