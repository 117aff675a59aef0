package io.watchfan.proxy.config;

import java.time.Duration;

/**
 * The bounds of each feed's watch cache window.
 *
 * @param events most events kept
 * @param bytes most serialized bytes kept
 * @param age events older than this are let go (a quiet resource keeps its last ones)
 */
public record WindowConfig(int events, long bytes, Duration age) {}
