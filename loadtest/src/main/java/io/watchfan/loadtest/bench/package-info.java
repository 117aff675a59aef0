/**
 * The benchmark: scenarios that put figures on the proxy, in rounds, with a report that says median, quartiles and what
 * the figure must be.
 */
package io.watchfan.loadtest.bench;
