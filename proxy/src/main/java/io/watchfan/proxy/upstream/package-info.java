/** The way to the API server: clients, credentials, and the reflectors that list and watch it. */
package io.watchfan.proxy.upstream;
