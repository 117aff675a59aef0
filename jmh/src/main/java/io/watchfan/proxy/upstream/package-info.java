/** Benchmarks of what reads the upstream. */
package io.watchfan.proxy.upstream;
