package io.watchfan.k8s;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.concurrent.atomic.AtomicInteger;

/** A namespace of a test's own, and both ways to it. */
final class World {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Api direct;
    private final Api proxied;
    private final String namespace;

    private World(Api direct, Api proxied, String namespace) {
        this.direct = direct;
        this.proxied = proxied;
        this.namespace = namespace;
    }

    static World create(ControlPlane cluster, ProxyProcess proxy)
            throws IOException, InterruptedException, GeneralSecurityException {
        cluster.ensureRunning();
        String namespace = "e2e-" + COUNT.incrementAndGet();
        Api direct = Api.direct(cluster);
        direct.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + namespace + "\"}}")
                .expect(201);
        return new World(direct, proxy.api(), namespace);
    }

    /** The API server itself. */
    Api direct() {
        return direct;
    }

    /** The proxy. */
    Api proxied() {
        return proxied;
    }

    /** The name of the namespace, which nobody else writes to. */
    String namespace() {
        return namespace;
    }

    /** The ConfigMaps of the namespace. */
    String configMaps() {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    /** Creates a ConfigMap, and tells its version. */
    long create(String name) throws IOException, InterruptedException {
        return create(name, "{}", "{\"k\":\"v\"}");
    }

    /** Creates a ConfigMap with these labels and data, both JSON, and tells its version. */
    long create(String name, String labels, String data) throws IOException, InterruptedException {
        return Json.version(direct.post(
                        configMaps(),
                        "{\"metadata\":{\"name\":\"" + name + "\",\"labels\":" + labels + "},\"data\":" + data + "}")
                .expect(201)
                .json());
    }

    /** Changes the data of a ConfigMap, and tells its new version. */
    long change(String name, String value) throws IOException, InterruptedException {
        return patch(name, "{\"data\":{\"k\":" + Json.quote(value) + "}}");
    }

    /** Applies a merge patch to a ConfigMap, and tells its new version. */
    long patch(String name, String patch) throws IOException, InterruptedException {
        return Json.version(
                direct.patch(configMaps() + "/" + name, patch).expect(200).json());
    }

    void delete(String name) throws IOException, InterruptedException {
        direct.delete(configMaps() + "/" + name).expect(200);
    }

    /** The version of a consistent list of the ConfigMaps, straight from the API server. */
    long version() throws IOException, InterruptedException {
        return Json.version(direct.get(configMaps()).expect(200).json());
    }
}
