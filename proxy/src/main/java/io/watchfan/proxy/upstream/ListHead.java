package io.watchfan.proxy.upstream;

/**
 * What a list says besides its items, and how it says it; answers of our own follow the same form (W-235, W-237).
 *
 * @param kind the list's kind, such as {@code PodList}
 * @param apiVersion its apiVersion
 * @param resourceVersion its version; 0 when it has none
 * @param continueToken where the next page begins; empty when there is none
 * @param kindFirst whether kind and apiVersion come first, as for built-in types; else the keys are sorted and the items
 *     come before the metadata
 * @param itemsCarryKind whether the items carry kind and apiVersion; null when there were no items to tell
 * @param spelledOut in protobuf, whether texts of its metadata that are empty are there
 */
public record ListHead(
        String kind,
        String apiVersion,
        long resourceVersion,
        String continueToken,
        boolean kindFirst,
        Boolean itemsCarryKind,
        boolean spelledOut) {
    /** Of a list in JSON. */
    public ListHead(
            String kind,
            String apiVersion,
            long resourceVersion,
            String continueToken,
            boolean kindFirst,
            Boolean itemsCarryKind) {
        this(kind, apiVersion, resourceVersion, continueToken, kindFirst, itemsCarryKind, false);
    }
}
