package io.watchfan.proxy.watch;

import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.proxy.stream.FrameBuilder;
import io.watchfan.proxy.stream.FrameFormat;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

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
        /** How many have come for it. */
        int takers;
        /** Whether anybody has since the last {@link #rest}. */
        boolean used = true;

        Kept(Portion portion) {
            this.portion = portion;
        }
    }

    /** The watches of one feed, scope and format that are not in step. Equal to itself alone. */
    static final class Party {
        private final Parties parties;
        private final FrameFormat format;
        private final WatchScope scope;
        private final Set<Place> places = new HashSet<>();
        private int size;
        /** How many portions of a state the one that is ahead of all has been sent. */
        private int mostPortions;

        private Party(Parties parties, FrameFormat format, WatchScope scope) {
            this.parties = parties;
            this.format = format;
            this.scope = scope;
        }

        /** Whether none of them has been sent more of a state. */
        boolean isFirst(WatchConnection connection) {
            return connection.initialPortions >= mostPortions;
        }

        /** One of them has been sent a portion of a state. */
        void comesTo(WatchConnection connection) {
            mostPortions = Math.max(mostPortions, connection.initialPortions);
        }

        /** Whether there are others than the one who asks. */
        boolean isShared() {
            return size > 1;
        }
    }

    /** The parties of one feed. */
    final class Parties {
        private final Map<FrameFormat, Map<WatchScope, Party>> byScope = new HashMap<>();

        /** The party of these, with one watch more. */
        Party join(FrameFormat format, WatchScope scope) {
            Party party = byScope.computeIfAbsent(format, f -> new HashMap<>())
                    .computeIfAbsent(scope, s -> new Party(this, format, s));
            party.size++;
            return party;
        }

        /** Lets go of what is kept for the feed, as when its log is another one. */
        void clear() {
            byScope.values().forEach(scopes -> scopes.values().forEach(SharedPortions.this::letGo));
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
        kept.takers++;
        kept.used = true;
        kept.portion.frame().retain();
        return kept.portion;
    }

    /**
     * Whether one portion more of {@code party} takes the place of one that not all of it have come for, and will have framed
     * anew.
     */
    boolean isNextAtOthersExpense(Party party) {
        if (bytes + FrameBuilder.UNIT_BYTES <= mostBytes) {
            return false;
        }
        Map.Entry<Place, Kept> oldest = portions.entrySet().iterator().next();
        return oldest.getKey().party() == party && oldest.getValue().takers < party.size - 1;
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

    /** One watch of {@code party} less. */
    void leave(Party party) {
        if (--party.size == 0) {
            party.parties.byScope.get(party.format).remove(party.scope);
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
