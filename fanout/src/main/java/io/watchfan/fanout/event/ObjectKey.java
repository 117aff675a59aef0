package io.watchfan.fanout.event;

import java.util.Objects;

/**
 * Identifies an object within its resource. Keys are ordered as the API server's storage orders them: bytewise by
 * {@code NAMESPACE/NAME} as one string, by {@code NAME} where there is no namespace (W-141).
 *
 * @param namespace the namespace; empty for cluster-scoped objects, never null
 * @param name the name; never null
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    /** Checks that neither part is null. */
    public ObjectKey {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
    }

    /** The least key of a namespace, which no object has: all objects of the namespace are greater. */
    public static ObjectKey startOf(String namespace) {
        return new ObjectKey(namespace, "");
    }

    @Override
    public int compareTo(ObjectKey other) {
        int shared = namespace.equals(other.namespace) ? pathLength() - name.length() : 0;
        int length = Math.min(pathLength(), other.pathLength());
        for (int i = shared; i < length; i++) {
            char x = pathCharAt(i);
            char y = other.pathCharAt(i);
            if (x != y) {
                return Character.compare(rank(x), rank(y));
            }
        }
        return Integer.compare(pathLength(), other.pathLength());
    }

    /** {@code NAMESPACE/NAME}, or {@code NAME} where there is no namespace. */
    public String path() {
        return namespace.isEmpty() ? name : namespace + '/' + name;
    }

    @Override
    public String toString() {
        return path();
    }

    private int pathLength() {
        return namespace.isEmpty() ? name.length() : namespace.length() + 1 + name.length();
    }

    /** The character of {@link #path} at {@code index}, without making one: the store compares keys at every step. */
    private char pathCharAt(int index) {
        int inName = namespace.isEmpty() ? index : index - namespace.length() - 1;
        return inName >= 0 ? name.charAt(inName) : inName == -1 ? '/' : namespace.charAt(index);
    }

    /**
     * Moves surrogates above the rest of the basic plane, where their code points belong, so that characters compare as their
     * UTF-8 encodings do bytewise.
     */
    private static char rank(char c) {
        if (c < Character.MIN_SURROGATE) {
            return c;
        }
        return (char) (c <= Character.MAX_SURROGATE ? c + 0x2000 : c - 0x800);
    }
}
