/**
 * What a client asked for, and how it is told that it cannot have it: the path, the query, the options of a LIST, WATCH
 * or GET, the media type, the continue token, and {@code metav1.Status}. Everything is read and worded as the API server
 * does (Go's {@code net/url}, {@code strconv}, {@code encoding/json} and Kubernetes' apimachinery), since clients compare
 * texts. Nothing here does I/O, keeps state or knows the rest of the proxy; all types are immutable.
 *
 * <p>Text from the wire is kept without loss: a byte that is not valid UTF-8 becomes the lone surrogate {@code U+DC00 + byte}.
 * Such text equals no text of an object, is quoted as Go quotes it, and leaves in JSON as {@code \ufffd}, as from Go.
 *
 * <p>Rule numbers (W-nnn) are those of the wire semantics that the project follows.
 */
package io.watchfan.proxy.request;
