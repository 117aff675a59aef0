/**
 * Feeds: one upstream watch each, its log and objects, and their life cycle. A feed works on a thread of its own; whoever
 * serves from it reads what it publishes.
 */
package io.watchfan.proxy.feed;
