/** Benchmarks of what is written to clients. */
package io.watchfan.proxy.stream;
