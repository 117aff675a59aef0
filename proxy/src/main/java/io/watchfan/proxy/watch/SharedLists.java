package io.watchfan.proxy.watch;

import io.watchfan.proxy.stream.Gzip;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The lists that are under way on an event loop, or were a moment ago: who wants one that there is gets the same bytes, which
 * are made, and compressed, once. They are kept as long as somebody comes for them between one {@link #rest} and the next. When
 * they take too much memory the oldest go, and a list that only one client wants has but its beginning kept: what is gone is
 * made again. Confined to its event loop.
 */
final class SharedLists {
    /** What is kept at most of a list that one client wants: another may come while it is being sent. */
    private static final long MOST_OF_ONE_BYTES = 1 << 20;
    /** What is kept for each segment besides its bytes, about. */
    private static final long OVERHEAD_BYTES = 512;

    private final long mostBytes;
    private final Map<ListPlan, ListBody> lists = new HashMap<>();
    private final Set<Kept> all = new LinkedHashSet<>();
    private final SegmentBuffer buffer = new SegmentBuffer(ListBody.MOST_SEGMENT_BYTES);
    private final Gzip gzip;
    private long bytes;
    private long written;
    private long deflated;

    /** The bytes of a segment, plain or compressed. Equal to itself alone. */
    static final class Kept {
        private final ListBody list;
        private final ListSegment segment;
        private final boolean isCompressed;
        private final byte[] bytes;
        /** Whether anybody has come for it since the last {@link #rest}. */
        private boolean used = true;

        private Kept(ListBody list, ListSegment segment, boolean isCompressed, byte[] bytes) {
            this.list = list;
            this.segment = segment;
            this.isCompressed = isCompressed;
            this.bytes = bytes;
        }

        private long size() {
            return bytes.length + OVERHEAD_BYTES;
        }
    }

    /**
     * @param mostBytes what is kept at most
     * @param gzip the loop's
     */
    SharedLists(long mostBytes, Gzip gzip) {
        this.mostBytes = mostBytes;
        this.gzip = gzip;
    }

    /** How many bytes are kept. */
    long bytes() {
        return bytes;
    }

    /** How many lists there is something of. */
    int size() {
        return lists.size();
    }

    /** How often a segment has been written. */
    long written() {
        return written;
    }

    /** How often a segment has been compressed. */
    long deflated() {
        return deflated;
    }

    /** The list of {@code plan}, there or begun, with one user more. */
    ListBody join(ListPlan plan) {
        ListBody list = lists.computeIfAbsent(plan, ListBody::new);
        list.users++;
        return list;
    }

    /**
     * One user of {@code list} less.
     *
     * @param mayStay whether what is kept of it may outlast its users: it keeps the state alive that it is of
     */
    void leave(ListBody list, boolean mayStay) {
        list.users--;
        if (list.users == 0 && !mayStay) {
            for (ListSegment segment = list.first(); segment != null; segment = segment.next) {
                letGo(segment.plain);
                letGo(segment.compressed);
            }
        }
        forgetIfUnused(list);
    }

    private void letGo(Kept kept) {
        if (kept != null) {
            all.remove(kept);
            gone(kept);
        }
    }

    private void forgetIfUnused(ListBody list) {
        if (list.users == 0 && list.keptBytes == 0) {
            lists.remove(list.plan(), list);
        }
    }

    /** Whether the bytes of {@code segment} need not be made. */
    static boolean isKept(ListSegment segment, boolean compressed) {
        return (compressed ? segment.compressed : segment.plain) != null;
    }

    /** The bytes of a segment of {@code list}, which may not be changed. What follows the segment is known then. */
    byte[] bytes(ListBody list, ListSegment segment, boolean compressed) {
        Kept kept = compressed ? segment.compressed : segment.plain;
        if (kept != null) {
            kept.used = true;
            return kept.bytes;
        }
        byte[] made = compressed ? compress(list, segment) : write(list, segment);
        if (list.users > 1 || list.keptBytes < MOST_OF_ONE_BYTES) {
            keep(new Kept(list, segment, compressed, made));
        }
        return made;
    }

    private byte[] write(ListBody list, ListSegment segment) {
        written++;
        int count = list.make(segment, buffer);
        return Arrays.copyOf(buffer.array(), count);
    }

    private byte[] compress(ListBody list, ListSegment segment) {
        deflated++;
        if (segment.plain != null) {
            byte[] plain = segment.plain.bytes;
            list.sum(segment, plain, plain.length);
            return gzip.segment(plain, 0, plain.length);
        }
        written++;
        int count = list.make(segment, buffer);
        list.sum(segment, buffer.array(), count);
        return gzip.segment(buffer.array(), 0, count);
    }

    private void keep(Kept kept) {
        all.add(kept);
        set(kept, kept);
        kept.list.keptBytes += kept.size();
        bytes += kept.size();
        for (Iterator<Kept> oldest = all.iterator(); bytes > mostBytes; ) {
            Kept next = oldest.next();
            oldest.remove();
            gone(next);
        }
    }

    private static void set(Kept of, Kept to) {
        if (of.isCompressed) {
            of.segment.compressed = to;
        } else {
            of.segment.plain = to;
        }
    }

    private void gone(Kept kept) {
        set(kept, null);
        kept.list.keptBytes -= kept.size();
        bytes -= kept.size();
        forgetIfUnused(kept.list);
    }

    /** A good while has passed: lets go of what nobody has come for in it. */
    void rest() {
        for (Iterator<Kept> each = all.iterator(); each.hasNext(); ) {
            Kept next = each.next();
            if (!next.used) {
                each.remove();
                gone(next);
            }
            next.used = false;
        }
    }
}
