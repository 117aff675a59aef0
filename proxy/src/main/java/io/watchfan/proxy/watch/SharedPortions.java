package io.watchfan.proxy.watch;

import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.stream.FrameFormat;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Portions that were framed for one watch and are kept for others of its scope and format, as long as there are any that are
 * not in step, but no longer than somebody comes for them: of those left some take nothing, and may for long. When they take
 * too much memory the oldest go. Who comes for one later has it framed anew. One per event loop; confined to it.
 */
final class SharedPortions {
    private final long mostBytes;
    private final Map<Place, Kept> portions = new LinkedHashMap<>();
    private long bytes;

    /**
     * Where a portion begins.
     *
     * @param at a place in a state, or a sequence of the log
     */
    private record Place(Party party, Object at) {}

    private static final class Kept {
        final Portion portion;
        /** Whether anybody has come for it since the last {@link #rest}. */
        boolean used = true;

        Kept(Portion portion) {
            this.portion = portion;
        }
    }

    /**
     * Watches of one feed, scope and format that are not in step: those that are being sent the same state, or those that are
     * behind in the log. Equal to itself alone.
     */
    static final class Party {
        private final Parties parties;
        private final Kind kind;
        private final Set<Place> places = new HashSet<>();
        /** How many bytes of the state its watches have been sent, and how many watches so many. */
        private final TreeMap<Long, Integer> sent = new TreeMap<>();

        private int size;

        private Party(Parties parties, Kind kind) {
            this.parties = parties;
            this.kind = kind;
        }

        /** Whether there are others than the one who asks. */
        boolean isShared() {
            return size > 1;
        }

        /** One of its watches, which had been sent {@code bytes} of the state, has been sent {@code more}. */
        void movesOn(long bytes, long more) {
            goes(bytes);
            sent.merge(bytes + more, 1, Integer::sum);
        }

        private void goes(long bytes) {
            sent.computeIfPresent(bytes, (at, watches) -> watches == 1 ? null : watches - 1);
        }

        /**
         * Whether none of its watches has been sent more of the state than {@code bytes}, and there is one that has been sent less
         * by between {@code least} and {@code most}.
         */
        boolean isFirstAndFollowed(long bytes, long least, long most) {
            if (sent.lastKey() > bytes) {
                return false;
            }
            Long follower = sent.floorKey(bytes - least);
            return follower != null && follower >= bytes - most;
        }
    }

    /**
     * What the watches of a party have in common.
     *
     * @param state the state that they are being sent; null for those that are behind
     */
    private record Kind(FrameFormat format, WatchScope scope, StoreSnapshot state) {}

    /** The parties of one feed. */
    final class Parties {
        private final Map<Kind, Party> byKind = new HashMap<>();

        /**
         * The party of these, with one watch more.
         *
         * @param state the state that the watch is being sent from its beginning; null when it is behind
         */
        Party join(FrameFormat format, WatchScope scope, StoreSnapshot state) {
            Party party = byKind.computeIfAbsent(new Kind(format, scope, state), kind -> new Party(this, kind));
            party.size++;
            if (state != null) {
                party.sent.merge(0L, 1, Integer::sum);
            }
            return party;
        }

        /** Lets go of what is kept for the feed, as when its log is another one. */
        void clear() {
            byKind.values().forEach(SharedPortions.this::letGo);
        }
    }

    /**
     * @param mostBytes what is kept at most
     */
    SharedPortions(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** How many bytes are kept at most. */
    long mostBytes() {
        return mostBytes;
    }

    /** How many bytes are kept. */
    long bytes() {
        return bytes;
    }

    /** The portion of {@code party} that begins at {@code at}, its frame retained for the caller; null when there is none. */
    Portion take(Party party, Object at) {
        Kept kept = portions.get(new Place(party, at));
        if (kept == null) {
            return null;
        }
        kept.used = true;
        kept.portion.frame().retain();
        return kept.portion;
    }

    /** Keeps {@code portion} for others, unless there is one already that begins at {@code at}. */
    void keep(Party party, Object at, Portion portion) {
        Place place = new Place(party, at);
        if (portions.putIfAbsent(place, new Kept(portion)) != null) {
            return;
        }
        party.places.add(place);
        portion.frame().retain();
        bytes += portion.frame().capacity();
        for (Iterator<Map.Entry<Place, Kept>> oldest = portions.entrySet().iterator(); bytes > mostBytes; ) {
            Map.Entry<Place, Kept> next = oldest.next();
            oldest.remove();
            gone(next);
        }
    }

    /** A good while has passed: lets go of what nobody has come for in it. */
    void rest() {
        for (Iterator<Map.Entry<Place, Kept>> all = portions.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Place, Kept> next = all.next();
            if (!next.getValue().used) {
                all.remove();
                gone(next);
            }
            next.getValue().used = false;
        }
    }

    private void gone(Map.Entry<Place, Kept> entry) {
        entry.getKey().party().places.remove(entry.getKey());
        release(entry.getValue());
    }

    /** One watch of {@code party} less, which had been sent {@code bytes} of its state. */
    void leave(Party party, long bytes) {
        party.goes(bytes);
        if (--party.size == 0) {
            party.parties.byKind.remove(party.kind);
            letGo(party);
        }
    }

    private void letGo(Party party) {
        party.places.forEach(place -> release(portions.remove(place)));
        party.places.clear();
    }

    private void release(Kept kept) {
        bytes -= kept.portion.frame().capacity();
        kept.portion.frame().release();
    }
}
