package io.watchfan.proxy.upstream;

/** What is done with the events of a stream. */
interface Phase {
    /** Takes an event; the phase that takes the next one, or null when the stream is given up. */
    Phase onEvent(DecodedEvent event) throws MalformedObjectException;

    /** After the last event of a buffer. */
    void onBufferEnd();

    /** The server refused to open the stream. */
    void onRefused(UpstreamStatusException refusal);

    /** How long the stream may say nothing. */
    long patienceMillis();

    /** It has said nothing for longer. */
    void onSilence();
}
