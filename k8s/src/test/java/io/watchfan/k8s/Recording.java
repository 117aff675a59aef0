package io.watchfan.k8s;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;

/** An answer as it comes: its head, and so much of its body as there is by now. */
final class Recording extends OpenBody<Recording> {
    private final HttpResponse.ResponseInfo head;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    Recording(HttpResponse.ResponseInfo head) {
        this.head = head;
    }

    @Override
    void keep(byte[] bytes) {
        body.writeBytes(bytes);
    }

    int status() {
        return head.statusCode();
    }

    /** All values of a header, as one text; empty without any. */
    String header(String name) {
        return String.join(" | ", head.headers().allValues(name));
    }

    /** What has come so far. */
    synchronized byte[] body() {
        return body.toByteArray();
    }
}
