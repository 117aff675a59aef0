package io.watchfan.fanout.selector;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The labels of one object, sorted by key: one array, no entry objects, since a label set is kept for every object of a
 * resource and for every event of its log.
 *
 * <p>Immutable and safe for all threads. Keys and values are never null. Keys and values of objects were validated by
 * the API server and are not validated here.
 */
public final class Labels {
    /** No labels. */
    public static final Labels EMPTY = new Labels(new String[0]);

    /** Key, value, key, value: keys strictly ascending in the order of {@link String#compareTo}. */
    private final String[] pairs;

    private Labels(String[] pairs) {
        this.pairs = pairs;
    }

    /**
     * Labels from keys and values in turn, the keys strictly ascending. The array is copied.
     *
     * @throws IllegalArgumentException when the last key has no value, or the keys are not strictly ascending
     */
    public static Labels of(String... sortedPairs) {
        checkEven(sortedPairs.length);
        if (!isSorted(sortedPairs, sortedPairs.length)) {
            throw new IllegalArgumentException("keys are not strictly ascending: " + Arrays.toString(sortedPairs));
        }
        return sortedPairs.length == 0 ? EMPTY : new Labels(sortedPairs.clone());
    }

    /** Labels with the entries of a map, which is copied. */
    public static Labels copyOf(Map<String, String> labels) {
        String[] pairs = new String[2 * labels.size()];
        int length = 0;
        for (Map.Entry<String, String> entry : labels.entrySet()) {
            pairs[length++] = entry.getKey();
            pairs[length++] = entry.getValue();
        }
        return copyOf(pairs, length);
    }

    /**
     * Labels from the first {@code length} elements of an array of keys and values in turn, in any order; the last
     * value of a repeated key counts, as in JSON. The elements are copied, so that a parser can use one array for many
     * objects.
     *
     * @throws IllegalArgumentException when {@code length} is odd
     */
    public static Labels copyOf(String[] pairs, int length) {
        checkEven(length);
        if (length == 0) {
            return EMPTY;
        }
        return new Labels(isSorted(pairs, length) ? Arrays.copyOf(pairs, length) : sorted(pairs, length));
    }

    /** The value of a label; null when it is absent. */
    public String get(String key) {
        int low = 0;
        int high = size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = pairs[2 * middle].compareTo(key);
            if (order == 0) {
                return pairs[2 * middle + 1];
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    /** Number of labels. */
    public int size() {
        return pairs.length / 2;
    }

    /** Key of the label at an index from 0 to {@code size() - 1}, in ascending order. */
    public String key(int index) {
        return pairs[2 * index];
    }

    /** Value of the label at an index from 0 to {@code size() - 1}, in ascending order of the keys. */
    public String value(int index) {
        return pairs[2 * index + 1];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Labels labels && Arrays.equals(pairs, labels.pairs);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(pairs);
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < size(); i++) {
            out.append(i == 0 ? "" : ",").append(key(i)).append('=').append(value(i));
        }
        return out.toString();
    }

    private static void checkEven(int length) {
        if (length % 2 != 0) {
            throw new IllegalArgumentException("a key without a value: " + length + " elements");
        }
    }

    private static boolean isSorted(String[] pairs, int length) {
        boolean sorted = true;
        for (int i = 0; i < length; i += 2) {
            Objects.requireNonNull(pairs[i + 1]);
            sorted &= i == 0 || pairs[i - 2].compareTo(pairs[i]) < 0;
        }
        return sorted;
    }

    private static String[] sorted(String[] pairs, int length) {
        TreeMap<String, String> byKey = new TreeMap<>();
        for (int i = 0; i < length; i += 2) {
            byKey.put(pairs[i], pairs[i + 1]);
        }
        String[] sorted = new String[2 * byKey.size()];
        int next = 0;
        for (Map.Entry<String, String> entry : byKey.entrySet()) {
            sorted[next++] = entry.getKey();
            sorted[next++] = entry.getValue();
        }
        return sorted;
    }
}
