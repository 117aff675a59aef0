package io.watchfan.proxy.upstream;

/**
 * The API server does not have the resource in the encoding that was asked for: an aggregated one without protobuf, for
 * instance. Carries no stack trace: it is an expected outcome.
 */
public final class EncodingRefusedException extends RuntimeException {
    EncodingRefusedException(ObjectEncoding encoding, int code, String contentType) {
        super(
                "the API server does not answer in " + encoding + ": status " + code + ", Content-Type " + contentType,
                null,
                false,
                false);
    }
}
