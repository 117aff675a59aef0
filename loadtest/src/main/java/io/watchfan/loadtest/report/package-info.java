/** What a run tells: latencies, the machine it ran on, live figures and the final report. */
package io.watchfan.loadtest.report;
