/** The commands: their options, and what happens when in a run. */
package io.watchfan.loadtest.cli;
