package io.watchfan.proxy.config;

/** How wide feeds are. */
public enum ScopeMode {
    /** The whole cluster where the proxy may read it, else the namespaces asked for. */
    AUTO,
    /** The whole cluster; what it may not read is passed through. */
    CLUSTER,
    /** The namespaces asked for, one feed each; requests for all namespaces are passed through. */
    NAMESPACE
}
