package io.watchfan.proxy.config;

/** How callers are told apart. */
public enum AuthMode {
    /** Not at all: whoever reaches the listener acts with the proxy's own upstream credential. */
    NONE
}
