package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GroupVersionResourceTest {
    private static final GroupVersionResource PODS = new GroupVersionResource("", "v1", "pods");
    private static final GroupVersionResource DEPLOYMENTS = new GroupVersionResource("apps", "v1", "deployments");

    @Test
    void shouldNameTheCoreGroupByNothing() {
        assertThat(PODS.apiVersion()).isEqualTo("v1");
        assertThat(PODS.groupResource()).isEqualTo("pods");
        assertThat(PODS.discoveryPath()).isEqualTo("/api/v1");
        assertThat(PODS.collectionPath(null)).isEqualTo("/api/v1/pods");
        assertThat(PODS.collectionPath("ns")).isEqualTo("/api/v1/namespaces/ns/pods");
    }

    @Test
    void shouldNameOtherGroups() {
        assertThat(DEPLOYMENTS.apiVersion()).isEqualTo("apps/v1");
        assertThat(DEPLOYMENTS.groupResource()).isEqualTo("deployments.apps");
        assertThat(DEPLOYMENTS.discoveryPath()).isEqualTo("/apis/apps/v1");
        assertThat(DEPLOYMENTS.collectionPath(null)).isEqualTo("/apis/apps/v1/deployments");
        assertThat(DEPLOYMENTS.collectionPath("ns")).isEqualTo("/apis/apps/v1/namespaces/ns/deployments");
    }

    @Test
    void shouldEncodeWhatWouldLeaveItsSegment() {
        GroupVersionResource odd = new GroupVersionResource("a/b", "v 1", "p?s#%");

        assertThat(odd.collectionPath("é;~$+:")).isEqualTo("/apis/a%2Fb/v%201/namespaces/%C3%A9%3B~$+:/p%3Fs%23%25");
    }

    @Test
    void shouldKnowTheGroupsOfTheApiServerItself() {
        assertThat(PODS.isBuiltIn()).isTrue();
        assertThat(DEPLOYMENTS.isBuiltIn()).isTrue();
        assertThat(new GroupVersionResource("rbac.authorization.k8s.io", "v1", "roles").isBuiltIn())
                .isTrue();
        assertThat(new GroupVersionResource("gateway.networking.k8s.io", "v1", "gateways").isBuiltIn())
                .isFalse();
        assertThat(new GroupVersionResource("test.example", "v1", "widgets").isBuiltIn())
                .isFalse();
    }

    @Test
    void shouldRefuseToBeIncomplete() {
        assertThatThrownBy(() -> new GroupVersionResource("", "", "pods")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new GroupVersionResource("", "v1", "")).isInstanceOf(IllegalArgumentException.class);
    }
}
