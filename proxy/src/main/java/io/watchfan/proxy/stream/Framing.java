package io.watchfan.proxy.stream;

/** How the lines of a stream are wrapped on the wire. */
public enum Framing {
    /** HTTP/1.1 chunks, one line each, so that a stream has the same bytes however its lines were gathered; or one gzip
     * member each. */
    CHUNKED,
    /** WebSocket text messages, one line each, as a server sends them: unmasked (W-128). */
    WEBSOCKET,
    /** The lines alone, for a transport that frames by itself. */
    PLAIN
}
