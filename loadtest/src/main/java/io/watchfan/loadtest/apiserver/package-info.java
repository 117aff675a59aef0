/**
 * A simulated Kubernetes API server: real list and watch semantics over objects in memory, changes at planned times,
 * and faults on order.
 *
 * <p>All state belongs to one event loop, on which requests are served too; nothing here is locked.
 */
package io.watchfan.loadtest.apiserver;
