/** Benchmarks of the object store. */
package io.watchfan.fanout.store;
