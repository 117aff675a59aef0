/** What the process tells about itself: meters, health, status page. Knows nothing of the rest of the proxy. */
package io.watchfan.proxy.metrics;
