/** The transport that the simulated API server and the watchers stand on. */
package io.watchfan.loadtest.net;
