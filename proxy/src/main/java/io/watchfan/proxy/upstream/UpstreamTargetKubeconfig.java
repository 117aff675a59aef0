package io.watchfan.proxy.upstream;

import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.config.YamlTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One or several kubeconfig files and the context in use, read by client-go's rules: of entries of one name in several
 * files the first counts, relative paths start at the file they stand in. Refused instead of passed over is what would
 * change rights or routes: impersonation, {@code proxy-url}, {@code auth-provider}.
 *
 * @param origin the flag or variable that names the files, for errors
 * @param files at least one
 * @param context the context to use instead of the current one
 */
record UpstreamTargetKubeconfig(String origin, List<Path> files, Optional<String> context) {
    /** A mapping of a kubeconfig, and the file that its relative paths start from. */
    record Entry(Map<?, ?> values, Path file) {
        static final Entry EMPTY = new Entry(Map.of(), Path.of(""));

        /** The text under this key; empty if there is none or it is empty. */
        Optional<String> text(String key) {
            return values.get(key) instanceof String text && !text.isEmpty() ? Optional.of(text) : Optional.empty();
        }

        /** The path under this key. */
        Optional<Path> path(String key) {
            return text(key).map(file.toAbsolutePath()::resolveSibling);
        }

        /** Whether {@code true} stands under this key. */
        boolean isTrue(String key) {
            return text(key).filter("true"::equals).isPresent();
        }

        /** The mapping under this key. */
        Optional<Entry> entry(String key) {
            return values.get(key) instanceof Map<?, ?> nested
                    ? Optional.of(new Entry(nested, file))
                    : Optional.empty();
        }

        /** The mappings in the list under this key. */
        List<Entry> entries(String key) {
            List<Entry> found = new ArrayList<>();
            if (values.get(key) instanceof List<?> list) {
                for (Object item : list) {
                    if (item instanceof Map<?, ?> nested) {
                        found.add(new Entry(nested, file));
                    }
                }
            }
            return found;
        }

        /** The texts in the list under this key. */
        List<String> texts(String key) {
            return values.get(key) instanceof List<?> list
                    ? list.stream().map(String::valueOf).toList()
                    : List.of();
        }
    }

    /**
     * What the files say now.
     *
     * @param where names files and context in errors
     */
    record Content(String where, Entry cluster, Entry user) {}

    /**
     * Reads the files. Blocks.
     *
     * @throws UsageException if they cannot be read, or the context does not lead to a cluster
     */
    Content read() {
        List<Entry> roots = new ArrayList<>();
        for (Path file : files) {
            roots.add(new Entry(YamlTree.read(origin, file), file));
        }
        String in = origin + ": " + files.stream().map(Path::toString).collect(Collectors.joining(", "));
        String name = context.or(() -> first(roots, "current-context"))
                .orElseThrow(() -> new UsageException(in + ": no current-context, and no --context"));
        String where = in + ": context '" + name + "'";
        Entry chosen = named(roots, "contexts", "context", name)
                .orElseThrow(
                        () -> new UsageException(where + " does not exist; there is: " + names(roots, "contexts")));
        Entry cluster = required(roots, chosen, "cluster", where);
        Entry user = chosen.text("user").isEmpty() ? Entry.EMPTY : required(roots, chosen, "user", where);
        refuseUnsupported(where, cluster, user);
        return new Content(where, cluster, user);
    }

    private static void refuseUnsupported(String where, Entry cluster, Entry user) {
        for (String key : List.of("as", "as-uid", "as-groups", "as-user-extra", "auth-provider")) {
            if (user.values().get(key) != null) {
                throw new UsageException(where + ": '" + key + "' of its user is not supported");
            }
        }
        if (cluster.text("proxy-url").isPresent()) {
            throw new UsageException(where + ": 'proxy-url' of its cluster is not supported");
        }
        if (cluster.text("server").isEmpty()) {
            throw new UsageException(where + ": its cluster has no 'server'");
        }
    }

    /** The cluster or user that the context names. */
    private static Entry required(List<Entry> roots, Entry context, String kind, String where) {
        String name = context.text(kind).orElseThrow(() -> new UsageException(where + " names no " + kind));
        return named(roots, kind + "s", kind, name)
                .orElseThrow(() -> new UsageException(where + " names the " + kind + " '" + name + "', which does not"
                        + " exist; there is: " + names(roots, kind + "s")));
    }

    private static Optional<String> first(List<Entry> roots, String key) {
        return roots.stream().flatMap(root -> root.text(key).stream()).findFirst();
    }

    private static Optional<Entry> named(List<Entry> roots, String list, String kind, String name) {
        return roots.stream()
                .flatMap(root -> root.entries(list).stream())
                .filter(entry -> entry.text("name").filter(name::equals).isPresent())
                .map(entry -> entry.entry(kind).orElse(new Entry(Map.of(), entry.file())))
                .findFirst();
    }

    private static String names(List<Entry> roots, String list) {
        List<String> names = roots.stream()
                .flatMap(root -> root.entries(list).stream())
                .flatMap(entry -> entry.text("name").stream())
                .distinct()
                .toList();
        return names.isEmpty() ? "none" : String.join(", ", names);
    }
}
