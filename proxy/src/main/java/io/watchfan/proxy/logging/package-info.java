/** How the process logs: what the environment says of it, and the form of JSON lines. */
package io.watchfan.proxy.logging;
