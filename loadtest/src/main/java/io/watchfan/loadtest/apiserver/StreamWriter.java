package io.watchfan.loadtest.apiserver;

/** Takes the pieces of a streamed response. Confined to the server's event loop. */
interface StreamWriter {
    /** Whether more may be appended now. */
    boolean hasRoom();

    /** Appends one piece: an event with its newline, or some part of a list. The bytes are not kept. */
    void append(byte[] bytes, int from, int to);

    /** Sends what was appended. */
    void flush();

    /** Sends what was appended, and the proper end of the response. */
    void finish();
}
