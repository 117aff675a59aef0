/**
 * A proxy as one would write it first, to compare with: one upstream watch, each event read once, and encoded for each
 * client.
 */
package io.watchfan.loadtest.naive;
