package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.proxy.request.RequestInfo.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestInfoTest {

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods, '', v1, , pods",
        "/api/v1/namespaces/ns/pods, '', v1, ns, pods",
        "/apis/apps/v1/deployments, apps, v1, , deployments",
        "/apis/x.example.com/v1beta1/namespaces/0/a-b, x.example.com, v1beta1, 0, a-b",
        "/api/v1/namespaces, '', v1, , namespaces",
        "/api/v1/%70ods, '', v1, , pods",
        "/api/v1/namespaces/watch/pods, '', v1, watch, pods",
    })
    void shouldTellACollection(String path, String group, String version, String namespace, String resource) {
        RequestInfo info = RequestInfo.parse("GET", path);

        assertThat(info.kind()).isEqualTo(Kind.COLLECTION);
        assertThat(info.isWatchPath()).isFalse();
        assertThat(info.gvr()).isEqualTo(new GroupVersionResource(group, version, resource));
        assertThat(info.group()).isEqualTo(group);
        assertThat(info.version()).isEqualTo(version);
        assertThat(info.resource()).isEqualTo(resource);
        assertThat(info.namespace()).isEqualTo(namespace);
        assertThat(info.name()).isNull();
        assertThat(info.subresource()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/namespaces/ns/pods/a, ns, pods, a",
        "/api/v1/nodes/a, , nodes, a",
        "/api/v1/namespaces/x, , namespaces, x",
        "/api/v1/namespaces/status, , namespaces, status",
        "/api/v1/clusterroles/system:node, , clusterroles, system:node",
        "/api/v1/clusterroles/a%20%C3%A9+b, , clusterroles, a é+b",
    })
    void shouldTellAnObject(String path, String namespace, String resource, String name) {
        RequestInfo info = RequestInfo.parse("GET", path);

        assertThat(info.kind()).isEqualTo(Kind.OBJECT);
        assertThat(info.namespace()).isEqualTo(namespace);
        assertThat(info.resource()).isEqualTo(resource);
        assertThat(info.name()).isEqualTo(name);
        assertThat(info.subresource()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/watch/pods, COLLECTION, '', , pods, ",
        "/api/v1/watch/namespaces/ns/pods, COLLECTION, '', ns, pods, ",
        "/apis/apps/v1/watch/deployments, COLLECTION, apps, , deployments, ",
        "/api/v1/watch/namespaces, COLLECTION, '', , namespaces, ",
        "/api/v1/watch/namespaces/ns/pods/a, OBJECT, '', ns, pods, a",
        "/api/v1/watch/namespaces/x, OBJECT, '', , namespaces, x",
    })
    void shouldTellTheDeprecatedWatchPaths(
            String path, Kind kind, String group, String namespace, String resource, String name) {
        RequestInfo info = RequestInfo.parse("GET", path);

        assertThat(info.kind()).isEqualTo(kind);
        assertThat(info.isWatchPath()).isTrue();
        assertThat(info.group()).isEqualTo(group);
        assertThat(info.namespace()).isEqualTo(namespace);
        assertThat(info.resource()).isEqualTo(resource);
        assertThat(info.name()).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/namespaces/ns/pods/a/log, ns, pods, a, log",
        "GET, /api/v1/namespaces/ns/services/http:web:80/proxy/x, ns, services, http:web:80, proxy",
        "GET, /api/v1/namespaces/x/status, , namespaces, x, status",
        "PUT, /api/v1/namespaces/x/finalize, , namespaces, x, finalize",
        "HEAD, /api/v1/pods, , pods, , ",
        "POST, /api/v1/namespaces/ns/pods, ns, pods, , ",
        "OPTIONS, /api/v1/pods, , pods, , ",
        "get, /api/v1/pods, , pods, , ",
        "DELETE, /api/v1/namespaces/ns/pods/a, ns, pods, a, ",
    })
    void shouldLeaveOtherRequestsOfResourcesToTheApiServer(
            String method, String path, String namespace, String resource, String name, String subresource) {
        RequestInfo info = RequestInfo.parse(method, path);

        assertThat(info.kind()).isEqualTo(Kind.OTHER);
        assertThat(info.namespace()).isEqualTo(namespace);
        assertThat(info.resource()).isEqualTo(resource);
        assertThat(info.name()).isEqualTo(name);
        assertThat(info.subresource()).isEqualTo(subresource);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "*",
                "api/v1/pods",
                "/api",
                "/api/v1",
                "/apis/apps/v1",
                "/apis/apps",
                "/healthz",
                "/openapi/v3/apis/apps/v1",
                "/apiv1/v1/pods",
                "/apis/v1/pods",
                "/api/v1/",
                "/api/v1/pods/",
                "/api/v1//pods",
                "//api/v1/pods",
                "/api/v1/namespaces//pods",
                "/api/v1/namespaces/ns/pods/",
                "/api/v1/./pods",
                "/api/v1/pods/..",
                "/api/v1/pods/%2e%2E",
                "/api/v1/pods/a%2Fb",
                "/api/v1%2Fpods",
                "/api/v1/pods/%25",
                "/api/v1/pods/%",
                "/api/v1/pods/%zz",
                "/api/v1/pods/%ff",
                "/api/v1/pods/a%00",
                "/api/v1/Pods",
                "/api/v1/po_ds",
                "/api/v1/-pods",
                "/api/V1/pods",
                "/apis/apps./v1/deployments",
                "/apis/Apps/v1/deployments",
                "/api/v1/namespaces/NS/pods",
                "/api/v1/namespaces/n.s/pods",
                "/api/v1/namespaces/ns/namespaces",
                "/api/v1/watch",
                "/apis/apps/v1/watch",
                "/api/v1/proxy/pods/a",
                "/apis/custom.metrics.k8s.io/v1beta1/namespaces/x/pods/*/cpu/",
            })
    void shouldNotTakeOtherPathsForAResource(String path) {
        RequestInfo info = RequestInfo.parse("GET", path);

        assertThat(info).isEqualTo(new RequestInfo(Kind.OTHER, false, null, null, null, null));
        assertThat(info.group()).isNull();
        assertThat(info.version()).isNull();
        assertThat(info.resource()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"a, true", "..a, true", "a:b, true", "'', true", "., false", ".., false", "a/b, false", "a%, false"})
    void shouldTellNamesThatFitIntoAPath(String name, boolean fits) {
        assertThat(RequestInfo.isPathSegmentName(name)).isEqualTo(fits);
    }

    @Test
    void shouldNotReadPathsWithoutABound() {
        String longest = "/api/v1/pods/" + "a".repeat(RequestInfo.MAX_PATH_CHARS - "/api/v1/pods/".length());

        assertThat(RequestInfo.parse("GET", longest).kind()).isEqualTo(Kind.OBJECT);
        assertThat(RequestInfo.parse("GET", longest + "a").kind()).isEqualTo(Kind.OTHER);
    }

    @Test
    void shouldHoldNamesToTheirLengths() {
        String label = "a".repeat(63);
        String group = String.join(".", label, label, label, "b".repeat(61));

        assertThat(RequestInfo.parse("GET", "/apis/" + group + "/v1/namespaces/" + label + "/" + label)
                        .kind())
                .isEqualTo(Kind.COLLECTION);
        assertThat(RequestInfo.parse("GET", "/apis/" + group + "b/v1/pods").kind())
                .isEqualTo(Kind.OTHER);
        assertThat(RequestInfo.parse("GET", "/api/v1/" + label + "a").kind()).isEqualTo(Kind.OTHER);
        assertThat(RequestInfo.parse("GET", "/api/v1/namespaces/" + label + "a/pods")
                        .kind())
                .isEqualTo(Kind.OTHER);
    }
}
