/** Benchmarks of filter groups. */
package io.watchfan.fanout.group;
