package io.watchfan.proxy.upstream;

import io.watchfan.fanout.selector.SelectableFields;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the bytes of a resource's objects depend on besides their versions.
 *
 * @param fields the field labels that its objects can be selected by
 * @param server the API server's release; empty when it does not say
 * @param uid the uid of the custom type's definition; empty for other types, or where it cannot be read
 * @param generation the definition's generation: it grows with every change of its schema, defaults or versions
 * @param compressesStreams whether the API server compresses streaming lists (W-127): from release 1.37 on. There are clients
 *     that accept gzip, and cannot read more than one member of it
 */
public record TypeDefinition(
        SelectableFields fields, String server, String uid, String generation, boolean compressesStreams) {
    private static final Pattern RELEASE = Pattern.compile("v?1\\.(\\d{1,4})(\\D.*)?", Pattern.DOTALL);
    private static final int COMPRESSES_STREAMS = 37;

    /** A definition of what the API server of a release does. */
    TypeDefinition(SelectableFields fields, String server, String uid, String generation) {
        this(fields, server, uid, generation, compressesStreams(server));
    }

    private static boolean compressesStreams(String server) {
        Matcher release = RELEASE.matcher(server);
        return release.matches() && Integer.parseInt(release.group(1)) >= COMPRESSES_STREAMS;
    }

    /** Whether objects may have other bytes under equal versions, here and there. A release that is not known is no other one. */
    public boolean isOtherThan(TypeDefinition other) {
        boolean otherServer = !server.isEmpty() && !other.server.isEmpty() && !server.equals(other.server);
        return otherServer || !uid.equals(other.uid) || !generation.equals(other.generation);
    }

    /** Whether it is another type altogether, or one whose objects are to be judged by other fields. */
    public boolean isAnotherTypeThan(TypeDefinition other) {
        return !uid.equals(other.uid) || !fields.toString().equals(other.fields.toString());
    }
}
