package io.watchfan.proxy.upstream;

import io.vertx.core.Future;
import io.watchfan.fanout.event.StoredObject;
import java.util.ArrayList;
import java.util.List;

/** Asks for lists and reads them. Confined to one thread at a time. */
public final class ListReader {
    private final ObjectFormat format;

    /** A reader of lists in this format, which is the reader's from now on. */
    public ListReader(ObjectFormat format) {
        this.format = format;
    }

    /** A list, or a page of one. */
    public record Listed(ListHead head, List<StoredObject> items) {}

    /**
     * Asks {@code client} for this list and reads the answer; fails with an {@link UpstreamStatusException} when refused, or an
     * {@link EncodingRefusedException}.
     */
    public Future<Listed> read(UpstreamClient client, String pathAndQuery, long timeoutMillis) {
        return client.get(pathAndQuery, format.encoding().listAccept(), timeoutMillis)
                .compose(answer -> {
                    format.encoding().check(answer.code(), answer.headers().get("Content-Type"));
                    if (answer.code() != 200) {
                        return Future.failedFuture(
                                new UpstreamStatusException(answer.code(), answer.headers(), answer.body()));
                    }
                    try {
                        List<StoredObject> items = new ArrayList<>();
                        return Future.succeededFuture(
                                new Listed(format.list(answer.body().getBytes(), items), items));
                    } catch (MalformedObjectException e) {
                        return Future.failedFuture(e);
                    }
                });
    }
}
