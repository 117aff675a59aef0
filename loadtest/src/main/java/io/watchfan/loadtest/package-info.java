/**
 * The load test: a simulated API server, thousands of watchers, and the checks of what they receive, as commands.
 */
package io.watchfan.loadtest;
