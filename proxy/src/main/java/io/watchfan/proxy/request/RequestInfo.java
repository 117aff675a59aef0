package io.watchfan.proxy.request;

import java.util.Arrays;
import java.util.List;

/**
 * What a method and a path ask for (spec 1.1). Whether a COLLECTION is listed or watched is said by the query alone
 * ({@link ListOptions}), unless the path has the deprecated {@code /watch/} prefix.
 *
 * <p>Only plain forms are recognised. Whatever the API server could read in more than one way, or only refuse (empty
 * segments, a trailing slash, dots, an encoded slash, names that no resource can have), is {@link Kind#OTHER}: to be
 * passed on as it came. The path does not tell whether a resource exists or is namespaced; discovery does.
 *
 * @param kind what the proxy may answer itself
 * @param isWatchPath whether the path has the prefix {@code /watch/} (W-006 to W-008); with OBJECT this is the watch of
 *     that one object
 * @param gvr null when the path is no resource's
 * @param namespace null when cluster-wide; also null for a Namespace itself, which is a cluster-scoped object
 * @param name null for a collection
 * @param subresource null for none
 */
public record RequestInfo(
        Kind kind, boolean isWatchPath, GroupVersionResource gvr, String namespace, String name, String subresource) {

    /** How far a request is ours. */
    public enum Kind {
        /** GET of a collection: LIST, or WATCH. */
        COLLECTION,
        /** GET of one object; with the prefix {@code /watch/}, its watch. */
        OBJECT,
        /** Anything else: writes, HEAD (W-009), subresources, other paths. */
        OTHER
    }

    /** No path of the API is longer, even with every byte percent-encoded. */
    static final int MAX_PATH_CHARS = 4096;

    private static final RequestInfo NO_RESOURCE = new RequestInfo(Kind.OTHER, false, null, null, null, null);
    private static final int MAX_LABEL_CHARS = 63;
    private static final int MAX_SUBDOMAIN_CHARS = 253;

    /**
     * Reads a request.
     *
     * @param method in upper case
     * @param rawPath as it came, percent-encoded, one char per byte, without the query
     */
    public static RequestInfo parse(String method, String rawPath) {
        List<String> segments = segments(rawPath);
        if (segments.isEmpty()) {
            return NO_RESOURCE;
        }
        boolean core = segments.get(0).equals("api");
        int groupSegments = core ? 0 : 1;
        if ((!core && !segments.get(0).equals("apis")) || segments.size() < 3 + groupSegments) {
            return NO_RESOURCE;
        }
        String group = core ? "" : segments.get(1);
        String version = segments.get(1 + groupSegments);
        if ((!core && !isSubdomain(group)) || !isLabel(version)) {
            return NO_RESOURCE;
        }
        return parse(method.equals("GET"), group, version, segments.subList(2 + groupSegments, segments.size()));
    }

    private static RequestInfo parse(boolean get, String group, String version, List<String> all) {
        boolean watchPath = all.get(0).equals("watch");
        List<String> parts = watchPath ? all.subList(1, all.size()) : all;
        if (parts.isEmpty() || parts.get(0).equals("proxy")) {
            return NO_RESOURCE;
        }
        String namespace = null;
        if (parts.get(0).equals("namespaces") && parts.size() > 2 && !isNamespaceSubresource(parts.get(2))) {
            namespace = parts.get(1);
            parts = parts.subList(2, parts.size());
            if (!isLabel(namespace) || parts.get(0).equals("namespaces")) {
                return NO_RESOURCE;
            }
        }
        if (!isLabel(parts.get(0))) {
            return NO_RESOURCE;
        }
        GroupVersionResource gvr = new GroupVersionResource(group, version, parts.get(0));
        String name = parts.size() > 1 ? parts.get(1) : null;
        String subresource = parts.size() > 2 ? parts.get(2) : null;
        Kind kind = !get || subresource != null ? Kind.OTHER : name == null ? Kind.COLLECTION : Kind.OBJECT;
        return new RequestInfo(kind, watchPath, gvr, namespace, name, subresource);
    }

    private static boolean isNamespaceSubresource(String segment) {
        return segment.equals("status") || segment.equals("finalize");
    }

    /** The decoded segments; empty when the path is not one of plain segments. */
    private static List<String> segments(String rawPath) {
        if (!rawPath.startsWith("/api") || rawPath.length() > MAX_PATH_CHARS) {
            return List.of();
        }
        String[] segments = rawPath.substring(1).split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            segments[i] = GoText.unescape(segments[i], false);
            if (segments[i] == null || !isPlainSegment(segments[i])) {
                return List.of();
            }
        }
        return Arrays.asList(segments);
    }

    /**
     * Whether an object may be called this: no dots alone, no slash, no percent sign. Only such a name is lifted out of a
     * field selector (W-005).
     */
    public static boolean isPathSegmentName(String name) {
        return !name.equals(".") && !name.equals("..") && name.indexOf('/') < 0 && name.indexOf('%') < 0;
    }

    private static boolean isPlainSegment(String text) {
        return !text.isEmpty()
                && isPathSegmentName(text)
                && text.chars().noneMatch(Character::isISOControl)
                && !GoText.hasEscapedByte(text);
    }

    /** DNS-1123 label: versions, resources and namespaces. */
    private static boolean isLabel(String text) {
        return text.length() <= MAX_LABEL_CHARS && isLabelOfAnyLength(text);
    }

    /** DNS-1123 subdomain: groups. */
    private static boolean isSubdomain(String text) {
        return text.length() <= MAX_SUBDOMAIN_CHARS
                && Arrays.stream(text.split("\\.", -1)).allMatch(RequestInfo::isLabelOfAnyLength);
    }

    private static boolean isLabelOfAnyLength(String text) {
        return !text.isEmpty()
                && !text.startsWith("-")
                && !text.endsWith("-")
                && text.chars().allMatch(c -> c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
    }

    /** The group, empty for the core group; null when the path is no resource's. */
    public String group() {
        return gvr == null ? null : gvr.group();
    }

    /** The version; null when the path is no resource's. */
    public String version() {
        return gvr == null ? null : gvr.version();
    }

    /** The plural; null when the path is no resource's. */
    public String resource() {
        return gvr == null ? null : gvr.resource();
    }

    /**
     * Whether the path names an object, and not the namespace that it must be in; the API server knows no such path.
     *
     * @param namespaced whether objects of the resource are in namespaces
     */
    public boolean isObjectOutsideItsNamespace(boolean namespaced) {
        return kind == Kind.OBJECT && namespaced && namespace == null;
    }
}
