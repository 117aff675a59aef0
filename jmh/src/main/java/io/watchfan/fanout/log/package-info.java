/** Benchmarks of the event log. */
package io.watchfan.fanout.log;
