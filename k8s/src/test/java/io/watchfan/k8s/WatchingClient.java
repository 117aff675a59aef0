package io.watchfan.k8s;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A client under test, in a process of its own. */
interface WatchingClient extends AutoCloseable {
    /** Whether it holds what there was when it began. */
    boolean isSynced() throws IOException;

    /** All that it has told so far. */
    List<Told> events();

    /** What it holds now: the version and the value of each name. */
    Map<String, String> state() throws IOException, InterruptedException;

    @Override
    void close() throws InterruptedException;
}
