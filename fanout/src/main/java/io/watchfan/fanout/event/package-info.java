/** What travels: one object as its bytes and attributes, and one change of it. Everything here is immutable. */
package io.watchfan.fanout.event;
