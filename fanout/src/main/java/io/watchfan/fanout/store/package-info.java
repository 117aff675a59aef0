/** The current objects of a resource, and immutable views of them. */
package io.watchfan.fanout.store;
