/** The wire format of protobuf, as far as Kubernetes uses it, and the envelope that it puts its messages in. */
package io.watchfan.proxy.wire;
