/**
 * What a watcher is promised, one checker per guarantee, and the truth it is held against.
 *
 * <p>The package holds its own small model of selectors and of state; it parses nothing and knows no server. The truth
 * is written by one thread; the checkers of a watcher belong to the event loop of that watcher.
 */
package io.watchfan.loadtest.contract;
