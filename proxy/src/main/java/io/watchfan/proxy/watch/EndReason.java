package io.watchfan.proxy.watch;

/** Why a watch ended. Every end has one, and it shows as the label of a metric. */
enum EndReason {
    /** Its time was over. */
    DEADLINE("deadline"),
    /** The client went away. */
    CLIENT("client_closed"),
    /** It asked for a version from which the window does not reach on. */
    EXPIRED("expired"),
    /** It asked for a version that the API server has not come to. */
    TOO_LARGE("too_large_version"),
    /** The client was so slow that what comes next for it has been let go. */
    LAPPED("lapped"),
    /** The state began anew and does not follow from what the client has. */
    NEW_EPOCH("new_epoch"),
    /** The resource is gone, or may not be read any more. */
    FEED_ENDED("feed_ended"),
    /** The client took nothing for too long. */
    WRITE_TIMEOUT("write_timeout"),
    /** A fault of ours: what the client had been sent whole is all that is certain, and it goes on from that. */
    INTERNAL_ERROR("internal_error"),
    /** The process is stopping. */
    DRAIN("drain");

    private final String label;

    EndReason(String label) {
        this.label = label;
    }

    /** Whether it ended as the client had it, or as every watch does: nothing that a log at its usual level need tell. */
    boolean isClientsOwn() {
        return this == DEADLINE || this == CLIENT || this == DRAIN || this == EXPIRED || this == TOO_LARGE;
    }

    String label() {
        return label;
    }
}
