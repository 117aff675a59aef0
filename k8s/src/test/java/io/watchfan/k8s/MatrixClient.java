package io.watchfan.k8s;

import java.util.List;
import java.util.Map;

/**
 * A client of the matrix.
 *
 * @param label its name, and that of its log
 * @param variant further arguments of its program
 * @param onCut what it does when its connection is cut
 * @param answer how it is answered
 * @param accepts the media types that its watches ask for
 * @param asks the queries of all its lists and watches, without what differs from run to run
 */
record MatrixClient(
        String label,
        ClientKit kit,
        List<String> variant,
        OnCut onCut,
        Answer answer,
        String accepts,
        List<String> asks) {
    private static final String WEB_SOCKET = " WebSocket";

    /** What a client does when its connection is cut. */
    enum OnCut {
        /** Watches on from the last version that it has. */
        RESUMES,
        /** Makes its state anew from a list, as it also does when its version has expired. */
        LISTS_ANEW,
        /** Ends; it knows nothing of the time before when it is begun again. */
        ENDS
    }

    /** What watches are answered in; none is passed through. */
    enum Answer {
        JSON("application/json"),
        PROTOBUF("application/vnd.kubernetes.protobuf;stream=watch");

        private final String contentType;

        Answer(String contentType) {
            this.contentType = contentType;
        }

        String contentType() {
            return contentType;
        }
    }

    /** All of them, or those that {@code -Dwatchfan.client=REGEX} names. */
    static List<MatrixClient> tested() {
        String wanted = System.getProperty("watchfan.client", ".*");
        return all().stream().filter(client -> client.label.matches(wanted)).toList();
    }

    private static List<MatrixClient> all() {
        return List.of(
                clientGo("", "typed configmaps", Answer.PROTOBUF),
                clientGo("-lists", "typed configmaps", Answer.PROTOBUF),
                clientGo("-leases", "typed leases", Answer.PROTOBUF),
                clientGo("-protobuf", "protobuf pods", Answer.PROTOBUF),
                clientGo("-dynamic", "dynamic configmaps", Answer.JSON),
                clientGo("-dynamic-lists", "dynamic configmaps", Answer.JSON),
                clientGo("-metadata", "metadata configmaps", Answer.PROTOBUF),
                clientGo("-metadata-lists", "metadata configmaps", Answer.PROTOBUF),
                kubectl("kubectl", ClientKit.KUBECTL),
                kubectl("kubectl-on-path", ClientKit.KUBECTL_ON_PATH),
                fabric8("fabric8", "websocket"),
                fabric8("fabric8-http", "http"),
                new MatrixClient(
                        "client-java",
                        ClientKit.JAVA,
                        List.of("io.watchfan.k8s.clients.OfficialJavaClient"),
                        OnCut.LISTS_ANEW,
                        Answer.JSON,
                        "application/json",
                        List.of(
                                "resourceVersion=0&watch=false",
                                "resourceVersion=N&timeoutSeconds=T&watch=true",
                                "resourceVersion=N&watch=false",
                                "resourceVersion=&watch=false")),
                clientNode("client-node-1"),
                clientNode("client-node-2"),
                new MatrixClient(
                        "client-python",
                        ClientKit.PYTHON,
                        List.of(),
                        OnCut.RESUMES,
                        Answer.JSON,
                        "application/json",
                        List.of("", "resourceVersion=N&watch=true")),
                kubeRs("", Answer.JSON),
                kubeRs("-streaming", Answer.JSON),
                kubeRs("-metadata", Answer.JSON));
    }

    private static MatrixClient clientGo(String suffix, String variant, Answer answer) {
        boolean dynamic = variant.startsWith("dynamic");
        String timeout = dynamic ? "timeoutSeconds=T" : "timeout=T&timeoutSeconds=T";
        String watch = "allowWatchBookmarks=true&resourceVersion=N&" + timeout + "&watch=true";
        String streaming = "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&" + timeout + "&watch=true";
        String metadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        String accepts = switch (variant.substring(0, variant.indexOf(' '))) {
            case "typed" -> "application/vnd.kubernetes.protobuf,application/json";
            case "protobuf" -> "application/vnd.kubernetes.protobuf";
            case "dynamic" -> "application/json";
            default ->
                "application/vnd.kubernetes.protobuf" + metadata + ",application/json" + metadata + ",application/json";
        };
        return new MatrixClient(
                "client-go" + suffix,
                ClientKit.GO,
                List.of(variant.split(" ", -1)),
                OnCut.RESUMES,
                answer,
                accepts,
                suffix.endsWith("-lists")
                        ? List.of("limit=500&resourceVersion=0", watch, "resourceVersion=N")
                        : List.of(
                                "allowWatchBookmarks=true&" + streaming,
                                watch,
                                "allowWatchBookmarks=true&resourceVersion=N&" + streaming));
    }

    private static MatrixClient kubectl(String label, ClientKit kit) {
        return new MatrixClient(
                label,
                kit,
                List.of(),
                OnCut.ENDS,
                Answer.JSON,
                "application/json",
                List.of("limit=500", "resourceVersion=N&watch=true"));
    }

    private static MatrixClient fabric8(String label, String transport) {
        return new MatrixClient(
                label,
                ClientKit.JAVA,
                List.of("io.watchfan.k8s.clients.Fabric8Client", transport),
                OnCut.RESUMES,
                Answer.JSON,
                "",
                List.of(
                        "resourceVersion=0",
                        "allowWatchBookmarks=true&resourceVersion=N&timeoutSeconds=T&watch=true"
                                + (transport.equals("websocket") ? WEB_SOCKET : ""),
                        ""));
    }

    private static MatrixClient clientNode(String library) {
        return new MatrixClient(
                library,
                ClientKit.JS,
                List.of(library),
                OnCut.RESUMES,
                Answer.JSON,
                "*/*",
                List.of("", "watch=true&resourceVersion=N"));
    }

    private static MatrixClient kubeRs(String suffix, Answer answer) {
        String watch = "&watch=true&timeoutSeconds=T&allowWatchBookmarks=true&resourceVersion=N";
        boolean streams = suffix.equals("-streaming");
        return new MatrixClient(
                "kube-rs" + suffix,
                ClientKit.RUST,
                List.of(suffix.isEmpty() ? "list" : suffix.substring(1)),
                OnCut.RESUMES,
                answer,
                suffix.equals("-metadata") ? "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" : "",
                List.of(
                        streams
                                ? "&watch=true&timeoutSeconds=T&allowWatchBookmarks=true&sendInitialEvents=true"
                                        + "&resourceVersionMatch=NotOlderThan&resourceVersion=0"
                                : "&limit=500",
                        watch));
    }

    Kind kind() {
        return variant.contains("leases") ? Kind.LEASES : variant.contains("pods") ? Kind.PODS : Kind.CONFIGMAPS;
    }

    /** Whether it tells what is added from what is modified, and what a list shows to be gone. */
    boolean tellsKinds() {
        return kit != ClientKit.RUST;
    }

    /** The query of a request as {@link #asks} has it. */
    static String asked(Relay.Exchange exchange) {
        int query = exchange.uri().indexOf('?');
        String options = query < 0 ? "" : exchange.uri().substring(query + 1);
        return options.replaceAll("resourceVersion=[1-9]\\d*", "resourceVersion=N")
                        .replaceAll("timeout=[^&]+", "timeout=T")
                        .replaceAll("timeoutSeconds=\\d+", "timeoutSeconds=T")
                + (exchange.header("Upgrade").isEmpty() ? "" : WEB_SOCKET);
    }

    Map<String, String> environment() {
        return label.endsWith("-lists") ? Map.of("KUBE_FEATURE_WatchListClient", "false") : Map.of();
    }

    @Override
    public String toString() {
        return label;
    }
}
