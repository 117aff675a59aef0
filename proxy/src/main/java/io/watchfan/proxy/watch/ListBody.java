package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.representation.ListContents;
import io.watchfan.proxy.representation.ListForm;
import io.watchfan.proxy.request.ContinueToken;
import java.util.Iterator;
import java.util.zip.CRC32;

/**
 * The bytes of one list, in segments, for all who want it. First its objects are surveyed as far as the beginning depends on
 * them: where its page ends, whether it has any, how long they are. Then the segments can be made, each when somebody comes to
 * it first. Everything is done in small steps, since the loop has other clients. Confined to its event loop.
 */
final class ListBody {
    private static final int SEGMENT_BYTES = 64 << 10;
    /** An object that would make a segment longer than this is spread over several. */
    static final int MOST_SEGMENT_BYTES = 2 * SEGMENT_BYTES;
    /** How many objects are looked at for a segment at most. */
    private static final int SEGMENT_OBJECTS = 4096;

    private static final int SURVEYED_BETWEEN_LOOKS_AT_THE_CLOCK = 16;

    private final ListPlan plan;
    private final ListSegment first;
    private final CRC32 crc = new CRC32();
    /** The first segment that the check sum does not cover; null when it covers all. */
    private ListSegment toSum;

    private long length;

    // ---- the survey, until there is a form
    private Iterator<StoredObject> candidates;
    private long found;
    private long bytes;
    private StoredObject last;
    private ListForm form;
    /** The page's last object; null when nothing follows it. */
    private ObjectKey end;

    // ---- written by those who share it
    int users;
    long keptBytes;

    ListBody(ListPlan plan) {
        this.plan = plan;
        this.first = new ListSegment(plan.candidates().after(), false, 0);
        this.toSum = first;
        this.candidates = plan.candidates().iterator();
    }

    ListPlan plan() {
        return plan;
    }

    /** The first segment; to be made when the survey is through. */
    ListSegment first() {
        return first;
    }

    /** Surveys the objects until {@code untilNanos}; whether that is through. */
    boolean survey(long untilNanos) {
        while (form == null) {
            for (int i = 0; i < SURVEYED_BETWEEN_LOOKS_AT_THE_CLOCK && form == null; i++) {
                if (isSurveyed()) {
                    begin();
                } else {
                    look(candidates.next());
                }
            }
            if (form == null && System.nanoTime() >= untilNanos) {
                return false;
            }
        }
        return true;
    }

    private boolean isSurveyed() {
        if (plan.limit() > 0) {
            return found == plan.limit() || !candidates.hasNext();
        }
        return switch (plan.representation().listSurvey()) {
            case NOTHING -> true;
            case ANY -> found > 0 || !candidates.hasNext();
            case BYTES -> !candidates.hasNext();
        };
    }

    private void look(StoredObject candidate) {
        if (plan.has(candidate)) {
            found++;
            last = candidate;
            bytes += plan.representation().itemBytes(candidate);
        }
    }

    private void begin() {
        String token = "";
        long remaining = -1;
        if (plan.limit() > 0 && candidates.hasNext()) {
            end = last.key();
            token = ContinueToken.after(plan.resourceVersion(), plan.isWide() ? end.path() : last.name())
                    .encode();
            if (plan.isCounted()) {
                SnapshotRange all = plan.candidates();
                remaining = new SnapshotRange(all.snapshot(), all.namespace(), end).size();
            }
        }
        form = plan.representation()
                .list(plan.form(), plan.resourceVersion(), token, remaining, new ListContents(found == 0, bytes));
        candidates = null;
        last = null;
    }

    /**
     * Makes the bytes of {@code segment}: so many of {@code out} as this returns. It is the first one, or one that has been come
     * to; what follows it is known then.
     */
    int make(ListSegment segment, SegmentBuffer out) {
        ListSegment next = write(segment, out);
        int count = next != null && next.skipped > 0 ? SEGMENT_BYTES : out.size();
        if (!segment.isMade) {
            length += count;
            segment.length = length;
            segment.next = next;
            segment.isMade = true;
        }
        return count;
    }

    /**
     * Takes the bytes of {@code segment}, which has been made, into the check sum, unless they have been: when it is compressed,
     * and so those before it have been. A list that nobody wants compressed has none.
     */
    void sum(ListSegment segment, byte[] in, int count) {
        if (segment == toSum) {
            crc.update(in, 0, count);
            segment.crc = crc.getValue();
            toSum = segment.next;
        }
    }

    private ListSegment write(ListSegment segment, SegmentBuffer out) {
        SnapshotRange all = plan.candidates();
        Iterator<StoredObject> objects = new SnapshotRange(all.snapshot(), all.namespace(), segment.after).iterator();
        ObjectKey through = segment.after;
        boolean follows = segment.follows;
        boolean ended = !objects.hasNext();
        out.begin(segment.skipped);
        if (segment == first) {
            out.writeBytes(form.head());
        }
        for (int seen = 0; !ended && seen < SEGMENT_OBJECTS && out.written() < SEGMENT_BYTES; seen++) {
            StoredObject object = objects.next();
            if (plan.has(object)) {
                long begin = out.written();
                if (follows) {
                    out.writeBytes(form.separator());
                }
                form.item(object, out);
                if (out.written() > MOST_SEGMENT_BYTES) {
                    return new ListSegment(through, follows, (int) (SEGMENT_BYTES - begin));
                }
                follows = true;
            }
            through = object.key();
            ended = through.equals(end) || !objects.hasNext();
        }
        if (ended) {
            out.keepAll();
            out.writeBytes(form.tail());
            return null;
        }
        return new ListSegment(through, follows, 0);
    }
}
