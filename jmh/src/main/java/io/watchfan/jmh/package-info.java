/** Realistic objects for the benchmarks, which stand in the packages of the classes that they measure. */
package io.watchfan.jmh;
