package io.watchfan.k8s;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Compares two answers to one request, made while all is quiet, and knows what is left open. */
final class Comparison {
    private static final int SHOWN_AROUND = 600;
    private static final Pattern CURRENT = Pattern.compile("(Too large resource version: \\d+, current: )\\d+");
    private static final Pattern OLDEST = Pattern.compile("(too old resource version: \\d+ )\\(\\d+\\)");
    private static final Pattern AGE = Pattern.compile("\"(?:\\d+[smhd])+\"");
    private static final Pattern SINGLE = Pattern.compile("(^|,)metadata\\.name==?(?!\\.{1,2}(,|$))[^,=/%]+(,|$)");
    private static final Pattern SECONDS = Pattern.compile(",?\\s*\"retryAfterSeconds\": ?\\d+");

    private final Ask ask;
    private final long written;
    private final long floor;

    /**
     * Of answers to this.
     *
     * @param written the last version that has been written before
     * @param floor watches from here on are within the proxy's window
     */
    Comparison(Ask ask, long written, long floor) {
        this.ask = ask;
        this.written = written;
        this.floor = floor;
    }

    /** Says in what they differ that must not; null if in nothing. */
    String difference(Reply direct, Reply proxied) {
        if (ask.has("continue") && isOfSelectedNamespace() && direct.status() == 200 && proxied.status() == 200) {
            LeftOpen.PAGES_OF_A_SELECTED_NAMESPACE.met();
            return null;
        }
        if (isJsonForYaml(direct, proxied)) {
            LeftOpen.JSON_FOR_YAML.met();
            return null;
        }
        if (ask.path().matches("/api/v1/(.*/)?events(/.*)?") && isAnsweredUncached(direct, proxied)) {
            LeftOpen.EVENTS_UNCACHED_THERE.met();
            return null;
        }
        if (isLimitedByItsStorage(direct, proxied)) {
            LeftOpen.LIMIT_OF_A_TOKEN_AT_0.met();
            return null;
        }
        if (direct.status() == 410 && proxied.status() == 200 && !isOfAnyVersion()) {
            LeftOpen.WINDOW_OF_LISTS.met();
            return null;
        }
        if (direct.status() != proxied.status()) {
            return "status " + direct.status() + " and " + proxied.status();
        }
        Map<String, String> wanted = headers(direct);
        Map<String, String> got = headers(proxied);
        if (direct.status() == 504 && !wanted.equals(got)) {
            LeftOpen.VERSION_TO_COME.met();
            wanted.remove("Retry-After");
            got.remove("Retry-After");
        }
        if (!wanted.equals(got)) {
            return "headers " + wanted + " and " + got;
        }
        return ask.isWatch() && direct.status() == 200 ? frames(direct, proxied) : bodies(direct, proxied);
    }

    private boolean isJsonForYaml(Reply direct, Reply proxied) {
        return ask.accept().matches(".*yaml.*json.*")
                && direct.contentType().equals("application/yaml")
                && proxied.contentType().equals("application/json");
    }

    private static boolean isAnsweredUncached(Reply direct, Reply proxied) {
        return direct.status() == 400
                && proxied.status() == 500
                && direct.text().contains("resourceVersion")
                && proxied.text().contains("resourceVersion");
    }

    private boolean isLimitedByItsStorage(Reply direct, Reply proxied) {
        return direct.status() == 200
                && proxied.status() == 200
                && ask.has("limit")
                && ask.first("resourceVersion").equals("0")
                && !ask.first("continue").isEmpty()
                && !ListParts.of(direct.contentType(), direct.body()).token().isEmpty()
                && ListParts.of(proxied.contentType(), proxied.body()).token().isEmpty();
    }

    private boolean isAnEmptyPageMore(ListParts wanted, ListParts got) {
        return ask.path().endsWith("/pods")
                && ask.first("fieldSelector").matches(".*spec\\.(nodeName|host)=.*")
                && wanted.token().isEmpty()
                && !got.token().isEmpty()
                && wanted.rest()
                        .equals(got.rest()
                                .replaceFirst(",\"continue\":\\*", "")
                                .replaceFirst("(?s)^(k8s\0.{0,40}?)\\*\\*", "$1*"));
    }

    private boolean isInOneNamespaceOrNone() {
        return ask.path().contains("/namespaces/")
                || isOfSelectedNamespace()
                || Arrays.stream(Subject.values())
                        .anyMatch(subject -> !subject.namespaced() && ask.path().equals(subject.everywhere()));
    }

    private boolean isOfSelectedNamespace() {
        return ask.first("fieldSelector").contains("metadata.namespace=");
    }

    private static Map<String, String> headers(Reply reply) {
        return new LinkedHashMap<>(reply.headers());
    }

    private String frames(Reply direct, Reply proxied) {
        List<String> wanted = Frames.comparable(Frames.of(direct.contentType(), direct.body()));
        List<String> got = Frames.comparable(Frames.of(proxied.contentType(), proxied.body()));
        boolean wantedOld = wanted.size() == 1 && isTooOld(wanted.get(0));
        boolean gotOld = got.size() == 1 && isTooOld(got.get(0));
        // The same words, its own window's begin included, are the API server's, to whom the watch has been passed.
        if (gotOld && asked() >= floor && !got.equals(wanted)) {
            return "410 of " + asked() + ", though the window begins at " + floor;
        }
        if (wantedOld || gotOld) {
            LeftOpen.WINDOW_OF_WATCHES.met();
            return null;
        }
        return texts(String.join("\n", wanted), String.join("\n", got));
    }

    /** Whether one of two answers to a watch is only the beginning of the other. */
    boolean isOnlyCutShort(Reply direct, Reply proxied) {
        if (direct.status() != 200 || proxied.status() != 200) {
            return false;
        }
        List<String> wanted = Frames.comparable(Frames.of(direct.contentType(), direct.body()));
        List<String> got = Frames.comparable(Frames.of(proxied.contentType(), proxied.body()));
        int common = Math.min(wanted.size(), got.size());
        return wanted.size() != got.size() && wanted.subList(0, common).equals(got.subList(0, common));
    }

    static boolean isTooOld(String frame) {
        return Frames.is("ERROR", frame)
                && (frame.contains("too old resource version")
                        || frame.contains("The resourceVersion for the provided watch is too old."));
    }

    private long asked() {
        String version = ask.first("resourceVersion");
        return version.matches("\\d{1,18}") ? Long.parseLong(version) : 0;
    }

    private String bodies(Reply direct, Reply proxied) {
        if (direct.status() != 200) {
            return texts(direct.text(), proxied.text());
        }
        ListParts wanted = ListParts.of(direct.contentType(), direct.body());
        ListParts got = ListParts.of(proxied.contentType(), proxied.body());
        boolean any = isOfAnyVersion();
        if (!wanted.version().equals(got.version())) {
            if (!any) {
                return "version " + wanted.version() + " and " + got.version();
            }
            LeftOpen.VERSION_OF_A_LIST.met();
            if (ask.first("resourceVersion").isEmpty() && !ask.has("continue") && number(got.version()) < written) {
                return "version " + got.version() + ", which is before " + written + ", written before";
            }
        }
        if (!wanted.tokenWithout(any).equals(got.tokenWithout(any))
                && wanted.place(any).equals(got.place(any))) {
            LeftOpen.SLASH_OF_A_TOKEN.met();
        }
        if (isOfSelectedNamespace()
                && !wanted.token().isEmpty()
                && !got.token().isEmpty()
                && wanted.rest().equals(got.rest())) {
            LeftOpen.PAGES_OF_A_SELECTED_NAMESPACE.met();
            return null;
        }
        if (isAnEmptyPageMore(wanted, got)) {
            LeftOpen.EMPTY_LAST_PAGE.met();
            return null;
        }
        if (!wanted.place(any).equals(got.place(any))) {
            return "token " + wanted.tokenWithout(any) + " and " + got.tokenWithout(any);
        }
        return texts(wanted.rest(), got.rest());
    }

    private static long number(String version) {
        return version.matches("\\d{1,18}") ? Long.parseLong(version) : -1;
    }

    /** W-046 to W-052. */
    private boolean isOfAnyVersion() {
        if (!ask.first("continue").isEmpty()) {
            return new ListParts("", "", ask.first("continue"))
                    .tokenWithout(false)
                    .contains("\"rv\":-1");
        }
        String match = ask.first("resourceVersionMatch");
        String limit = ask.first("limit");
        boolean limited = limit.matches("\\d{1,18}") && Long.parseLong(limit) > 0;
        boolean single = isInOneNamespaceOrNone()
                && SINGLE.matcher(ask.first("fieldSelector")).find();
        return !(asked() > 0 && (match.equals("Exact") || limited && match.isEmpty() && !single));
    }

    private String texts(String direct, String proxied) {
        String wanted = masked(direct);
        String got = masked(proxied);
        if (wanted.equals(got)) {
            return null;
        }
        if (ask.accept().contains("as=Table")
                && AGE.matcher(wanted).replaceAll("AGE").equals(AGE.matcher(got).replaceAll("AGE"))) {
            LeftOpen.AGES_IN_TABLES.met();
            return null;
        }
        if (wanted.contains("Too large resource version")
                && (wanted.startsWith("k8s\0")
                        ? got.startsWith("k8s\0") && got.contains("Too large resource version")
                        : SECONDS.matcher(wanted)
                                .replaceAll("")
                                .equals(SECONDS.matcher(got).replaceAll("")))) {
            LeftOpen.VERSION_TO_COME.met();
            return null;
        }
        return firstDifference(wanted, got);
    }

    private static String masked(String text) {
        String current = CURRENT.matcher(text).replaceAll("$1C");
        return OLDEST.matcher(current).replaceAll("$1(M)");
    }

    /** Where two texts part. */
    static String firstDifference(String wanted, String got) {
        int at = 0;
        while (at < Math.min(wanted.length(), got.length()) && wanted.charAt(at) == got.charAt(at)) {
            at++;
        }
        return "byte " + at + " of " + wanted.length() + " and " + got.length() + "\n  API server: "
                + around(wanted, at) + "\n  proxy:      " + around(got, at);
    }

    private static String around(String text, int at) {
        return text.substring(Math.max(0, at - SHOWN_AROUND), Math.min(text.length(), at + SHOWN_AROUND));
    }
}
