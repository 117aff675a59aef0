package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.Scope;

/**
 * What one watcher does. Immutable.
 *
 * @param id its number
 * @param scope what it watches
 * @param pace how it reads
 * @param initialEvents whether its first watch begins with the state; otherwise from the version of a list
 */
public record WatcherProfile(int id, Scope scope, Pace pace, boolean initialEvents) {}
