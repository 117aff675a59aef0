package io.watchfan.proxy.representation;

import io.watchfan.proxy.request.MediaTypes.Choice;
import io.watchfan.proxy.request.MediaTypes.Transform;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ObjectEncoding;

/** The ways in which the objects of one feed can be written. Immutable, safe for all threads. */
public final class Representations {
    private static final String META = "meta.k8s.io/";

    private final Representation whole;
    private final Representation metadata;
    private final Representation metadataBeta;

    /** Those of a feed that has the objects of {@code resource} in this encoding. */
    public Representations(ApiResource resource, ObjectEncoding encoding) {
        DroppedAnnotations dropped = DroppedAnnotations.of(resource.gvr());
        if (encoding.isProtobuf()) {
            whole = new ProtobufRepresentation(resource.gvr().apiVersion(), resource.kind());
            metadata = new ProtobufMetadata(META + "v1", dropped);
            metadataBeta = new ProtobufMetadata(META + "v1beta1", dropped);
        } else {
            whole = new JsonRepresentation(resource.gvr().apiVersion(), resource.kind());
            metadata = new JsonMetadata(META + "v1", dropped);
            metadataBeta = new JsonMetadata(META + "v1beta1", dropped);
        }
    }

    /** The one that a request has chosen, in the feed's own encoding. */
    public Representation of(Choice choice) {
        if (choice.transform() == Transform.NONE) {
            return whole;
        }
        return "v1".equals(choice.version()) ? metadata : metadataBeta;
    }

    /** Whole objects. */
    public Representation whole() {
        return whole;
    }
}
