package io.watchfan.proxy.upstream;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.SelectableFields;
import java.util.List;

/** JSON: a watch is lines, and items of lists may come without their kind. */
final class JsonFormat implements ObjectFormat {
    private final AttributeExtractor extractor;
    private final ListDecoder lists;

    JsonFormat(ApiResource resource, SelectableFields fields) {
        extractor = new AttributeExtractor(fields);
        lists = new ListDecoder(extractor, resource.kind(), resource.gvr().apiVersion());
    }

    @Override
    public ObjectEncoding encoding() {
        return ObjectEncoding.JSON;
    }

    @Override
    public FrameDecoder frames(FrameDecoder.Handler handler) {
        return new WatchFrameDecoder(handler);
    }

    @Override
    public DecodedEvent event(byte[] bytes, int offset, int length) throws MalformedObjectException {
        return extractor.event(bytes, offset, length);
    }

    @Override
    public ListHead list(byte[] body, List<StoredObject> into) throws MalformedObjectException {
        return lists.decode(body, into);
    }
}
