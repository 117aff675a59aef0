package io.watchfan.proxy.upstream;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
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
    public Future<Listed> read(UpstreamClient client, HttpMethod method, String pathAndQuery, long timeoutMillis) {
        return client.request(method, pathAndQuery)
                .compose(request -> request.putHeader("Accept", "application/json")
                        .idleTimeout(timeoutMillis)
                        .send())
                .compose(response -> response.body().compose(body -> {
                    if (response.statusCode() != 200) {
                        return Future.failedFuture(
                                new UpstreamStatusException(response.statusCode(), response.headers(), body));
                    }
                    try {
                        List<StoredObject> items = new ArrayList<>();
                        return Future.succeededFuture(new Listed(decoder.decode(body.getBytes(), items), items));
                    } catch (MalformedObjectException e) {
                        return Future.failedFuture(e);
                    }
                }));
    }
}
