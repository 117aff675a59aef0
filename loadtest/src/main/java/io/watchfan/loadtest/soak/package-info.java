/**
 * A long run of random faults: what happens when, what each fault explains, and lists beside the watches. The plan is fixed
 * by its seed.
 */
package io.watchfan.loadtest.soak;
