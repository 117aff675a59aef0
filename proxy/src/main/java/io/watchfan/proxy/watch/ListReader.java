package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.stream.Gzip;
import io.watchfan.proxy.stream.SharedBytes;
import java.util.ArrayList;
import java.util.List;

/** One client's way through a list, segment by segment; as one gzip member, if it accepts that and the list is large (W-125). */
final class ListReader implements PortionSource {
    /** Bodies beyond this are compressed. */
    static final long GZIP_BYTES = 128 << 10;
    /** Segments that are there already are taken together up to this. */
    private static final int PORTION_BYTES = 32 << 10;

    private final SharedLists lists;
    private final ListBody list;
    private final boolean mayStay;
    private ListSegment next;
    private boolean mayCompress;
    private boolean isCompressed;
    private boolean isBegun;
    private boolean isClosed;

    /**
     * @param list has been joined for it
     * @param acceptsGzip whether it may be compressed
     * @param mayStay whether what is made of it may be kept for others when the client has it
     */
    ListReader(SharedLists lists, ListBody list, boolean acceptsGzip, boolean mayStay) {
        this.lists = lists;
        this.list = list;
        this.mayStay = mayStay;
        this.next = list.first();
        this.mayCompress = acceptsGzip;
    }

    /** Gets ready, until {@code untilNanos}; whether it is: then there may be a {@link #next}. */
    boolean prepare(long untilNanos) {
        if (!list.survey(untilNanos)) {
            return false;
        }
        for (ListSegment last = list.first(); mayCompress; last = last.next) {
            boolean isNew = !last.isMade;
            if (isNew) {
                lists.bytes(list, last, false);
            }
            isCompressed = last.length > GZIP_BYTES;
            mayCompress = !isCompressed && last.next != null;
            if (mayCompress && isNew && System.nanoTime() >= untilNanos) {
                return false;
            }
        }
        return true;
    }

    /** Whether it is compressed; known when it is ready. */
    boolean isCompressed() {
        return isCompressed;
    }

    @Override
    public Buffer next() {
        List<byte[]> parts = new ArrayList<>();
        if (isCompressed && !isBegun) {
            parts.add(Gzip.header());
        }
        isBegun = true;
        int length = 0;
        do {
            ListSegment segment = next;
            byte[] bytes = lists.bytes(list, segment, isCompressed);
            parts.add(bytes);
            length += bytes.length;
            next = segment.next;
            if (next == null && isCompressed) {
                parts.add(Gzip.trailer(segment.crc, segment.length));
            }
        } while (next != null && length < PORTION_BYTES && SharedLists.isKept(next, isCompressed));
        return SharedBytes.of(parts.toArray(byte[][]::new));
    }

    @Override
    public boolean isDone() {
        return next == null;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            lists.leave(list, mayStay);
        }
    }
}
