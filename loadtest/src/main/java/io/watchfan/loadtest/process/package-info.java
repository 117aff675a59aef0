/** The proxy as a child process: started, watched, measured, and never left behind. */
package io.watchfan.loadtest.process;
