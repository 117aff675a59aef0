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
        if (namespace.equals(other.namespace)) {
            return compareUtf8(name, other.name);
        }
        return compareUtf8(path(), other.path());
    }

    /** {@code NAMESPACE/NAME}, or {@code NAME} where there is no namespace. */
    public String path() {
        return namespace.isEmpty() ? name : namespace + '/' + name;
    }

    @Override
    public String toString() {
        return path();
    }

    /** Compares as the UTF-8 encodings compare bytewise; differs from {@link String#compareTo} beyond U+D800 only. */
    private static int compareUtf8(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return Character.compare(rank(x), rank(y));
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    /** Moves surrogates above the rest of the basic plane, where their code points belong. */
    private static char rank(char c) {
        if (c < Character.MIN_SURROGATE) {
            return c;
        }
        return (char) (c <= Character.MAX_SURROGATE ? c + 0x2000 : c - 0x800);
    }
}
