/** The proxy process: its entry, its assembly, and the first decision on every request. */
package io.watchfan.proxy;
