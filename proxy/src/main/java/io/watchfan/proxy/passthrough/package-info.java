/** Everything that is not answered from the cache: forwarded to the API server as it came, streamed both ways. */
package io.watchfan.proxy.passthrough;
