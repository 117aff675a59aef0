package io.watchfan.proxy.upstream;

/**
 * Gives equal strings one identity, as far as it remembers: namespaces, label keys and values recur in every object. A fixed
 * number of places, each holding the last string that fell on it, so it is bounded whatever comes. Confined to one thread.
 */
final class StringCache {
    private static final int PLACES = 1 << 12;
    private static final int LONGEST = 128;

    private final String[] places = new String[PLACES];

    String unify(String text) {
        if (text.length() > LONGEST) {
            return text;
        }
        int hash = text.hashCode();
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        String known = places[place];
        if (text.equals(known)) {
            return known;
        }
        places[place] = text;
        return text;
    }
}
