/**
 * Bytes on their way to clients: frames built once per event loop and scope, and the streams that take them. The only place
 * that knows the internals of Vert.x and Netty.
 */
package io.watchfan.proxy.stream;
