/** The fan-out library: what a watch cache is, without any I/O. */
package io.watchfan.fanout;
