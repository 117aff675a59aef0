package io.watchfan.proxy.watch;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A proxy for each test, before an API server that has JSON and protobuf. */
abstract class BothEncodings {
    static final String GZIP = "Accept-Encoding: deflate, gzip";
    static final String PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

    ScriptedApiServer upstream;
    ProxyFixture proxy;

    private final String[] flags;

    BothEncodings(String... flags) {
        this.flags = flags;
    }

    @BeforeEach
    void startBoth() throws Exception {
        upstream = new ScriptedApiServer();
        upstream.withProtobuf();
        proxy = new ProxyFixture(upstream, flags);
    }

    @AfterEach
    void stopBoth() throws Exception {
        proxy.close();
        upstream.close();
    }

    /** Asks over HTTP/2 for something compressed. */
    Future<HttpClientResponse> askOverHttp2(Vertx vertx, String target) {
        return vertx.createHttpClient(new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false))
                .request(HttpMethod.GET, proxy.port(), "127.0.0.1", target)
                .compose(request -> request.putHeader("Accept-Encoding", "gzip").send());
    }
}
