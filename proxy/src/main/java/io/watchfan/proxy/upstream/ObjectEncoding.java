package io.watchfan.proxy.upstream;

/** What the objects of a feed are asked for in, and so are kept in. */
public enum ObjectEncoding {
    /** As JSON. */
    JSON("application/json", "application/json"),

    /** As protobuf, which only types of the API server's own have. */
    PROTOBUF(ObjectEncoding.PROTOBUF_TYPE, ObjectEncoding.PROTOBUF_TYPE),

    /** Their metadata as protobuf: the only protobuf that there is of custom resources (W-108). */
    PROTOBUF_METADATA(
            ObjectEncoding.PROTOBUF_TYPE + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            ObjectEncoding.PROTOBUF_TYPE + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1");

    /** The media type of protobuf. */
    public static final String PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

    private final String listAccept;
    private final String watchAccept;

    ObjectEncoding(String listAccept, String watchAccept) {
        this.listAccept = listAccept;
        this.watchAccept = watchAccept;
    }

    /** The {@code Accept} header of lists. */
    String listAccept() {
        return listAccept;
    }

    /** The {@code Accept} header of watches. */
    String watchAccept() {
        return watchAccept;
    }

    /** Whether it is protobuf, of whatever. */
    public boolean isProtobuf() {
        return this != JSON;
    }

    /**
     * Refuses the answer of an API server that does not have it: 406, or 415, or something else. One without JSON is not known;
     * such an answer is judged by what it holds.
     *
     * @param contentType the header of the answer; null for none
     */
    void check(int code, String contentType) {
        if (isProtobuf()
                && (code == 406
                        || code == 415
                        || code == 200 && (contentType == null || !contentType.startsWith(PROTOBUF_TYPE)))) {
            throw new EncodingRefusedException(this, code, contentType);
        }
    }
}
