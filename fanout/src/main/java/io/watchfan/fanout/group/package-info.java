/**
 * Who gets what of an event. Everything here is confined to one event loop; loops share nothing but the published feed state.
 */
package io.watchfan.fanout.group;
