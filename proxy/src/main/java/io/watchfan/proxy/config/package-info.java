/** What the operator asked for: command line and file to validated records, with every default in one place. */
package io.watchfan.proxy.config;
