/** When a watcher is due for a bookmark, or for its end. Driven by the caller's clock. */
package io.watchfan.fanout.bookmark;
