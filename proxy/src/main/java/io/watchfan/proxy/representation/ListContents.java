package io.watchfan.proxy.representation;

/**
 * What the beginning of a list may have to tell of its items.
 *
 * @param isEmpty whether there are none; where it matters
 * @param bytes how many bytes they are in all; 0 where that {@linkplain ListSurvey does not matter}
 */
public record ListContents(boolean isEmpty, long bytes) {}
