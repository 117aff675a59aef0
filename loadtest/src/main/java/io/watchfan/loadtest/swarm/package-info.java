/**
 * Thousands of watchers on a few event loops. A watcher's bytes are cut into lines and only the few fields that matter
 * are read; each watcher belongs to one event loop and is never touched by another thread.
 */
package io.watchfan.loadtest.swarm;
