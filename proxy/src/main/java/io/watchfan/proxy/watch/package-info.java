/**
 * Requests answered from feeds: admission, lists and reads, and the watches themselves. Everything that belongs to a client is
 * confined to the event loop of its connection.
 */
package io.watchfan.proxy.watch;
