package io.watchfan.proxy.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What an {@code Accept} header asks for (W-111 to W-118): its clauses in the API server's order of preference, what the
 * API server would answer with, and whether we can.
 *
 * <p>We write JSON and protobuf, of whole objects and of their metadata. Who would rather have YAML gets JSON if some clause
 * allows it; Tables, and YAML alone, come from the API server.
 */
public final class MediaTypes {
    /** Passed on: the client wants a Table, which only the API server can render (W-109, W-124). */
    public static final String REASON_TABLE = "table";

    /** Passed on: the client wants the metadata of objects only, as YAML, or as what it is not (W-118). */
    public static final String REASON_PARTIAL_METADATA = "partial_metadata";

    /** Passed on: the client takes YAML and no JSON. */
    public static final String REASON_YAML = "yaml";

    /** Passed on: the API server will refuse it with 406 (W-115). */
    public static final String REASON_NOT_ACCEPTABLE = "not_acceptable";

    /** Passed on: with more clauses than {@link #MAX_CLAUSES} their order is the API server's own affair. */
    public static final String REASON_MANY_CLAUSES = "many_clauses";

    /** Up to here Go sorts by insertion, which W-112's order rests on, since its comparison is no order. */
    static final int MAX_CLAUSES = 12;

    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final Set<String> ROUTED_TYPES =
            Set.of("*/*", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf");

    /** An encoding of the API server, in its order of preference. */
    public enum Encoding {
        /** {@code application/json}. */
        JSON("json"),
        /** {@code application/yaml}; not for streams. */
        YAML("yaml"),
        /** {@code application/vnd.kubernetes.protobuf}. */
        PROTOBUF("vnd.kubernetes.protobuf");

        private final String subtype;

        Encoding(String subtype) {
            this.subtype = subtype;
        }
    }

    /** What objects are turned into before they are encoded: the parameter {@code as}. */
    public enum Transform {
        /** Nothing: objects come as they are. */
        NONE,
        /** {@code as=Table}. */
        TABLE,
        /** {@code as=PartialObjectMetadata}: for a GET and a WATCH; a LIST is refused (W-118). */
        PARTIAL_METADATA,
        /** {@code as=PartialObjectMetadataList}: for a LIST. */
        PARTIAL_METADATA_LIST
    }

    /** What errors are written in (W-117). */
    public enum ErrorForm {
        /** JSON in one line. */
        JSON,
        /** Indented JSON: for who accepts no plain object, or nothing at all. */
        INDENTED_JSON,
        /** Protobuf. */
        PROTOBUF
    }

    /**
     * What we do about it: one of the two is null.
     *
     * @param choice what to answer with, in JSON or protobuf and no Table; null to leave the answer to the API server
     * @param reason why: one of the constants here, fit for a metric's label
     */
    public record Decision(Choice choice, String reason) {}

    /**
     * What the API server would answer with.
     *
     * @param encoding the encoding
     * @param transform the transform
     * @param version of the transform: {@code v1} or {@code v1beta1} of meta.k8s.io; null for none
     * @param pretty whether the clause has {@code pretty=1}
     */
    public record Choice(Encoding encoding, Transform transform, String version, boolean pretty) {
        /** Whether it is protobuf. */
        public boolean isProtobuf() {
            return encoding == Encoding.PROTOBUF;
        }

        /**
         * Whether it can be had of what is asked for: metadata has one name in a list, and another elsewhere (W-118).
         *
         * @param list whether a LIST is asked for, and not a WATCH or GET
         */
        public boolean suits(boolean list) {
            return transform == Transform.NONE || list == (transform == Transform.PARTIAL_METADATA_LIST);
        }
    }

    /**
     * One clause of the header.
     *
     * @param type such as {@code application}, or {@code *}
     * @param subtype such as {@code json}, or {@code *}
     * @param q the preference, 1 unless given; 0 does not exclude the type (W-112)
     * @param params all other parameters; of equal names the last counts
     */
    public record Clause(String type, String subtype, double q, Map<String, String> params) {
        /** Copies the parameters. */
        public Clause {
            params = Map.copyOf(params);
        }

        private boolean matches(Encoding encoding) {
            return (type.equals("application") && (subtype.equals(encoding.subtype) || subtype.equals("*")))
                    || (type.equals("*") && subtype.equals("*"));
        }

        /** What this clause gets in this encoding; empty when its parameters do not allow it (W-113). */
        private Optional<Choice> allow(Encoding encoding, boolean builtIn) {
            String stream = params.getOrDefault("stream", "");
            String serverVersion = params.getOrDefault("sv", "");
            if (!matches(encoding)
                    || (!stream.isEmpty() && (encoding == Encoding.YAML || !stream.equals("watch")))
                    || (!serverVersion.isEmpty() && !serverVersion.equals("v1"))) {
                return Optional.empty();
            }
            boolean pretty = "1".equals(params.get("pretty"));
            if (!params.containsKey("as") && !params.containsKey("g") && !params.containsKey("v")) {
                // Custom resources have no protobuf (W-108).
                return encoding == Encoding.PROTOBUF && !builtIn
                        ? Optional.empty()
                        : Optional.of(new Choice(encoding, Transform.NONE, null, pretty));
            }
            String version = params.getOrDefault("v", "");
            if (!"meta.k8s.io".equals(params.get("g")) || (!version.equals("v1") && !version.equals("v1beta1"))) {
                return Optional.empty();
            }
            Transform transform = switch (params.getOrDefault("as", "")) {
                case "Table" -> encoding == Encoding.PROTOBUF ? null : Transform.TABLE;
                case "PartialObjectMetadata" -> Transform.PARTIAL_METADATA;
                case "PartialObjectMetadataList" -> Transform.PARTIAL_METADATA_LIST;
                default -> null;
            };
            return Optional.ofNullable(transform).map(t -> new Choice(encoding, t, version, pretty));
        }

        /** Go's comparison, which is no order: each of three reasons suffices. */
        private boolean isBefore(Clause other) {
            return q > other.q
                    || (!type.equals("*") && other.type.equals("*"))
                    || (!subtype.equals("*") && other.subtype.equals("*"));
        }
    }

    private final List<Clause> clauses;
    private final boolean absent;
    private final boolean routed;

    private MediaTypes(List<Clause> clauses, boolean absent, boolean routed) {
        this.clauses = clauses;
        this.absent = absent;
        this.routed = routed;
    }

    /**
     * Reads a header.
     *
     * @param accept the first {@code Accept} header; null when there is none
     */
    public static MediaTypes parse(String accept) {
        if (accept == null || accept.isEmpty()) {
            return new MediaTypes(List.of(), true, true);
        }
        List<Clause> clauses = new ArrayList<>();
        boolean routed = false;
        for (String part : accept.split(",", -1)) {
            routed |= ROUTED_TYPES.contains(trim(before(part, ';')));
            parseClause(trim(part)).ifPresent(clauses::add);
        }
        if (clauses.size() <= MAX_CLAUSES) {
            sort(clauses);
        }
        return new MediaTypes(List.copyOf(clauses), false, routed);
    }

    private static Optional<Clause> parseClause(String text) {
        String mediaType = before(text, ';');
        String type = trim(before(mediaType, '/'));
        String subtype = after(mediaType, '/');
        if (subtype.isEmpty()) {
            if (!type.equals("*")) {
                return Optional.empty();
            }
            subtype = "*";
        } else if (!after(subtype, '/').isEmpty()) {
            return Optional.empty();
        }
        double q = 1;
        Map<String, String> params = new HashMap<>();
        for (String param : after(text, ';').split(";", -1)) {
            String value = after(param, '=');
            if (value.isEmpty() || !after(value, '=').isEmpty()) {
                continue;
            }
            String name = trim(before(param, '='));
            value = before(value, '=');
            if (name.equals("q")) {
                q = parseFloat(value);
            } else {
                params.put(name, trim(value));
            }
        }
        return Optional.of(new Clause(type, trim(before(subtype, '/')), q, params));
    }

    /** As Go's {@code ParseFloat}, but for hexadecimal and underscores; 0 for what is no number. */
    private static double parseFloat(String text) {
        if (DECIMAL.matcher(text).matches()) {
            return Float.parseFloat(text);
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            case "nan" -> Double.NaN;
            default -> 0;
        };
    }

    private static void sort(List<Clause> clauses) {
        for (int i = 1; i < clauses.size(); i++) {
            for (int j = i; j > 0 && clauses.get(j).isBefore(clauses.get(j - 1)); j--) {
                clauses.set(j, clauses.set(j - 1, clauses.get(j)));
            }
        }
    }

    private static String before(String text, char separator) {
        int at = text.indexOf(separator);
        return at < 0 ? text : text.substring(0, at);
    }

    private static String after(String text, char separator) {
        int at = text.indexOf(separator);
        return at < 0 ? "" : text.substring(at + 1);
    }

    /** Takes spaces off both ends, and nothing else. */
    private static String trim(String text) {
        int begin = 0;
        int end = text.length();
        while (begin < end && text.charAt(begin) == ' ') {
            begin++;
        }
        while (end > begin && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(begin, end);
    }

    /**
     * The clauses that can be read, by preference (W-112); in the header's order when there are more than {@link
     * #MAX_CLAUSES}; none for an absent header, which asks for JSON.
     */
    public List<Clause> clauses() {
        return clauses;
    }

    /**
     * What the API server answers a LIST or GET with; empty for a 406. A WATCH is the same, except that YAML is a 406
     * (W-116).
     *
     * @param builtIn whether the resource is kube-apiserver's own and no custom one ({@link
     *     GroupVersionResource#isBuiltIn})
     */
    public Optional<Choice> choose(boolean builtIn) {
        return choose(builtIn, true);
    }

    private Optional<Choice> choose(boolean builtIn, boolean protobuf) {
        if (absent) {
            return Optional.of(new Choice(Encoding.JSON, Transform.NONE, null, false));
        }
        if (builtIn && !routed) {
            return Optional.empty();
        }
        return clauses.stream()
                .flatMap(clause -> Arrays.stream(Encoding.values())
                        .filter(encoding -> protobuf || encoding != Encoding.PROTOBUF)
                        .flatMap(encoding -> clause.allow(encoding, builtIn).stream()))
                .findFirst();
    }

    /**
     * What we do about a LIST, a WATCH or a GET.
     *
     * @param builtIn as in {@link #choose}
     */
    public Decision decide(boolean builtIn) {
        return decide(builtIn, true);
    }

    /** As {@link #decide(boolean)}, where the API server has turned out not to have the resource in protobuf. */
    public Decision decideWithoutProtobuf(boolean builtIn) {
        return decide(builtIn, false);
    }

    private Decision decide(boolean builtIn, boolean protobuf) {
        if (clauses.size() > MAX_CLAUSES) {
            return passthrough(REASON_MANY_CLAUSES);
        }
        Optional<Choice> found = choose(builtIn, protobuf);
        if (found.isEmpty()) {
            return passthrough(REASON_NOT_ACCEPTABLE);
        }
        Choice choice = found.get();
        if (choice.transform() == Transform.TABLE) {
            return passthrough(REASON_TABLE);
        }
        if (choice.encoding() != Encoding.YAML) {
            return new Decision(choice, null);
        }
        if (choice.transform() != Transform.NONE) {
            return passthrough(REASON_PARTIAL_METADATA);
        }
        return clauses.stream()
                .flatMap(clause -> clause.allow(Encoding.JSON, builtIn).stream())
                .filter(allowed -> allowed.transform() == Transform.NONE)
                .findFirst()
                .map(allowed -> new Decision(allowed, null))
                .orElseGet(() -> passthrough(REASON_YAML));
    }

    private static Decision passthrough(String reason) {
        return new Decision(null, reason);
    }

    /** What an error is to be written in. */
    public ErrorForm errorForm() {
        if (absent) {
            return ErrorForm.JSON;
        }
        return clauses.stream()
                .flatMap(clause ->
                        Arrays.stream(Encoding.values()).flatMap(encoding -> clause.allow(encoding, true).stream()))
                .filter(allowed -> allowed.transform() == Transform.NONE)
                .findFirst()
                .map(allowed -> allowed.pretty() && !allowed.isProtobuf()
                        ? ErrorForm.INDENTED_JSON
                        : allowed.isProtobuf() ? ErrorForm.PROTOBUF : ErrorForm.JSON)
                .orElse(ErrorForm.INDENTED_JSON);
    }
}
