/**
 * How clients have objects written: as JSON or protobuf, whole or their metadata alone. Everything that differs between them on
 * the wire is here: events, bookmarks, errors, lists, single objects.
 */
package io.watchfan.proxy.representation;
