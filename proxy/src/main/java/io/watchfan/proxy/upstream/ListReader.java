package io.watchfan.proxy.upstream;

import io.vertx.core.Future;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.SelectableFields;
import java.util.ArrayList;
import java.util.List;

/** Asks for lists and reads them. Confined to one thread at a time. */
public final class ListReader {
    private final ListDecoder decoder;

    /** A reader of lists of {@code resource}, whose objects have these fields. */
    public ListReader(SelectableFields fields, ApiResource resource) {
        decoder = new ListDecoder(
                new AttributeExtractor(fields), resource.kind(), resource.gvr().apiVersion());
    }

    /** A list, or a page of one. */
    public record Listed(ListHead head, List<StoredObject> items) {}

    /** Asks {@code client} for this list and reads the answer; fails with an {@link UpstreamStatusException} when refused. */
    public Future<Listed> read(UpstreamClient client, String pathAndQuery, long timeoutMillis) {
        return client.get(pathAndQuery, timeoutMillis).compose(answer -> {
            if (answer.code() != 200) {
                return Future.failedFuture(new UpstreamStatusException(answer.code(), answer.headers(), answer.body()));
            }
            try {
                List<StoredObject> items = new ArrayList<>();
                return Future.succeededFuture(
                        new Listed(decoder.decode(answer.body().getBytes(), items), items));
            } catch (MalformedObjectException e) {
                return Future.failedFuture(e);
            }
        });
    }
}
