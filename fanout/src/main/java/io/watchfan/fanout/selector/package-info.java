/**
 * Selectors: which objects a watcher or a list sees. Text becomes a canonical selector once, with the API server's own
 * error texts (W-150 to W-165); matching an object then allocates nothing.
 *
 * <p>All types here are immutable and may be used by any thread.
 */
package io.watchfan.fanout.selector;
