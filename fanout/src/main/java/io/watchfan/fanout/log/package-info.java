/**
 * The log of recent events of one resource, and how it is published together with the state of the objects. One thread
 * writes ({@link io.watchfan.fanout.log.FeedWriter}); any number read, without locks and without being waited for.
 */
package io.watchfan.fanout.log;
