package io.watchfan.fanout.log;

import io.watchfan.fanout.store.StoreSnapshot;

/**
 * The objects as they were at some sequence, kept while the window spans it, so that past states need not be rebuilt from
 * the present one.
 */
record Checkpoint(long sequence, StoreSnapshot objects) {}
