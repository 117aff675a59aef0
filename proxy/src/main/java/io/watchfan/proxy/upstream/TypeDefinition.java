package io.watchfan.proxy.upstream;

import io.watchfan.fanout.selector.SelectableFields;

/**
 * What the bytes of a resource's objects depend on besides their versions.
 *
 * @param fields the field labels that its objects can be selected by
 * @param server the API server's release; empty when it does not say
 * @param uid the uid of the custom type's definition; empty for other types, or where it cannot be read
 * @param generation the definition's generation: it grows with every change of its schema, defaults or versions
 */
public record TypeDefinition(SelectableFields fields, String server, String uid, String generation) {
    /** Whether objects may have other bytes under equal versions, here and there. */
    public boolean isOtherThan(TypeDefinition other) {
        return !server.equals(other.server) || !uid.equals(other.uid) || !generation.equals(other.generation);
    }

    /** Whether it is another type altogether, or one whose objects are to be judged by other fields. */
    public boolean isAnotherTypeThan(TypeDefinition other) {
        return !uid.equals(other.uid) || !fields.toString().equals(other.fields.toString());
    }
}
