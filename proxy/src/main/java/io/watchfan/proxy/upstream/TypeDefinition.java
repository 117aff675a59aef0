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
 */
public record TypeDefinition(SelectableFields fields, String server, String uid, String generation) {
    private static final Pattern RELEASE = Pattern.compile("v?1\\.(\\d{1,4})(\\D.*)?", Pattern.DOTALL);
    private static final int COMPRESSES_STREAMS = 37;

    /**
     * Whether the API server compresses streaming lists (W-127): from release 1.37 on. There are clients that accept gzip, and
     * cannot read more than one member of it.
     */
    public boolean compressesStreams() {
        Matcher release = RELEASE.matcher(server);
        return release.matches() && Integer.parseInt(release.group(1)) >= COMPRESSES_STREAMS;
    }

    /** Whether objects may have other bytes under equal versions, here and there. */
    public boolean isOtherThan(TypeDefinition other) {
        return !server.equals(other.server) || !uid.equals(other.uid) || !generation.equals(other.generation);
    }

    /** Whether it is another type altogether, or one whose objects are to be judged by other fields. */
    public boolean isAnotherTypeThan(TypeDefinition other) {
        return !uid.equals(other.uid) || !fields.toString().equals(other.fields.toString());
    }
}
