package io.watchfan.loadtest.contract;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What everyone who watches one scope should have received: the versions and types of its events in order, and the
 * state after each as a count and a hash.
 *
 * <p>One thread appends; any number read. The writer fills a slot of a chunk, then advances {@code size} (volatile);
 * a reader that saw a size may read every retained entry below it. Chunks are never reused: the oldest is dropped
 * when the bound is reached, and a reader that comes too late is told {@link #GONE}. Wait-free on both sides.
 */
public final class ScopeJournal {
    /** No such entry yet. */
    public static final long NONE = -1;
    /** The entry was there, but has been dropped. */
    public static final long GONE = -2;

    private static final int CHUNK_ENTRIES = 1024;

    private final Scope scope;
    private final boolean objectsKnown;
    private final Gaps gaps;
    private final AtomicReferenceArray<Chunk> chunks;

    // Written by the writer only.
    private volatile long size;
    private volatile long knownVersion;
    private int stateCount;
    private long stateHash;
    private int baseCount;
    private long baseHash;

    private static final class Chunk {
        final long number;
        final long[] versions = new long[CHUNK_ENTRIES];
        final long[] hashes = new long[CHUNK_ENTRIES];
        final int[] counts = new int[CHUNK_ENTRIES];

        Chunk(long number) {
            this.number = number;
        }
    }

    /**
     * An empty journal.
     *
     * @param maxEntries how many events are retained at least; at least 1
     * @param objectsKnown whether it will be told of objects, and so can tell states
     */
    public ScopeJournal(Scope scope, int maxEntries, boolean objectsKnown) {
        this(scope, maxEntries, objectsKnown, new Gaps());
    }

    ScopeJournal(Scope scope, int maxEntries, boolean objectsKnown, Gaps gaps) {
        if (maxEntries < 1) {
            throw new IllegalArgumentException("maxEntries must be positive: " + maxEntries);
        }
        this.scope = scope;
        this.objectsKnown = objectsKnown;
        this.gaps = gaps;
        this.chunks = new AtomicReferenceArray<>(maxEntries / CHUNK_ENTRIES + 2);
    }

    public Scope scope() {
        return scope;
    }

    /** Of which versions only the outcome could be told. */
    public Gaps gaps() {
        return gaps;
    }

    /** The index of the first entry from {@code index} on that has to be told; {@link #size} when there is none yet. */
    public long firstRequired(long index) {
        long at = index;
        for (long version = versionAt(at); version >= 0 && gaps.contains(version); version = versionAt(at)) {
            at++;
        }
        return at;
    }

    /** Tells of an object that was there before the first event. Writer only, before readers exist. */
    public void seed(ObjectFacts object) {
        if (size != 0) {
            throw new IllegalStateException("the journal has begun");
        }
        if (scope.matches(object)) {
            stateCount++;
            stateHash += StateHash.of(object.resourceVersion());
            baseCount = stateCount;
            baseHash = stateHash;
        }
    }

    /**
     * Tells of one change of the resource. Writer only.
     *
     * @param version the version of the change, above all told before
     * @param before the object before; null when it was created
     * @param after the object after; null when it was deleted
     */
    public void append(long version, ObjectFacts before, ObjectFacts after) {
        boolean was = before != null && scope.matches(before);
        boolean is = after != null && scope.matches(after);
        if (was) {
            stateCount--;
            stateHash -= StateHash.of(before.resourceVersion());
        }
        if (is) {
            stateCount++;
            stateHash += StateHash.of(after.resourceVersion());
        }
        if (was || is) {
            append(version, is ? (was ? EventType.MODIFIED : EventType.ADDED) : EventType.DELETED);
        }
        knownVersion = version;
    }

    /** Tells of one event of the scope. Writer only; for truths that know events but no objects. */
    public void append(long version, EventType type) {
        if (version <= knownVersion && size != 0) {
            throw new IllegalArgumentException("version " + version + " is not above " + knownVersion);
        }
        long index = size;
        long number = index / CHUNK_ENTRIES;
        int slot = (int) (index % CHUNK_ENTRIES);
        Chunk chunk = slot == 0 ? new Chunk(number) : chunks.get((int) (number % chunks.length()));
        chunk.versions[slot] = version << EventType.CODE_BITS | type.code();
        chunk.hashes[slot] = stateHash;
        chunk.counts[slot] = stateCount;
        if (slot == 0) {
            chunks.set((int) (number % chunks.length()), chunk);
        }
        size = index + 1;
        knownVersion = version;
    }

    /** Says that all events up to a version have been told. Writer only. */
    public void advance(long version) {
        knownVersion = Math.max(knownVersion, version);
    }

    /** The version up to which the journal is complete. */
    public long knownVersion() {
        return knownVersion;
    }

    /** How many events were ever appended. */
    public long size() {
        return size;
    }

    /** The version of an entry, or {@link #NONE}, or {@link #GONE}. */
    public long versionAt(long index) {
        long packed = packedAt(index);
        return packed < 0 ? packed : packed >>> EventType.CODE_BITS;
    }

    /** The type of an entry that {@link #versionAt} had a version for; null when it was dropped meanwhile. */
    public EventType typeAt(long index) {
        long packed = packedAt(index);
        return packed < 0 ? null : EventType.ofCode((int) (packed & EventType.CODE_MASK));
    }

    private long packedAt(long index) {
        if (index < 0 || index >= size) {
            return NONE;
        }
        Chunk chunk = chunkOf(index);
        return chunk == null ? GONE : chunk.versions[(int) (index % CHUNK_ENTRIES)];
    }

    private Chunk chunkOf(long index) {
        long number = index / CHUNK_ENTRIES;
        Chunk chunk = chunks.get((int) (number % chunks.length()));
        return chunk != null && chunk.number == number ? chunk : null;
    }

    /** The index of the first entry with a version above the given one; {@link #size} when there is none yet. */
    public long firstAfter(long version) {
        long high = size;
        long low = Math.max(0, (high - 1) / CHUNK_ENTRIES - chunks.length() + 1) * CHUNK_ENTRIES;
        while (low < high) {
            long middle = (low + high) >>> 1;
            // What is gone is older than all that is there.
            if (versionAt(middle) > version) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * Whether the objects of the scope at a version are as many as told and have the hash told.
     *
     * @return null when they do, or when states are not known; else what they should be
     */
    public String stateDifference(long version, int count, long hash) {
        if (!objectsKnown) {
            return null;
        }
        long index = firstAfter(version) - 1;
        int wantedCount = baseCount;
        long wantedHash = baseHash;
        if (index >= 0) {
            Chunk chunk = chunkOf(index);
            if (chunk == null) {
                return "the journal no longer reaches back to version " + version;
            }
            wantedCount = chunk.counts[(int) (index % CHUNK_ENTRIES)];
            wantedHash = chunk.hashes[(int) (index % CHUNK_ENTRIES)];
        }
        if (count == wantedCount && hash == wantedHash) {
            return null;
        }
        return count == wantedCount
                ? "the " + count + " objects told are not those at version " + version
                : count + " objects told, there were " + wantedCount + " at version " + version;
    }
}
