package io.watchfan.proxy.upstream;

import io.watchfan.fanout.log.FeedWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What a reflector said, in order. Any thread reads. */
final class RecordingListener implements ReflectorListener {
    final List<String> listed = new CopyOnWriteArrayList<>();
    final List<Throwable> troubles = new CopyOnWriteArrayList<>();
    final List<ListHead> heads = new CopyOnWriteArrayList<>();
    final List<String> bookmarks = new CopyOnWriteArrayList<>();
    final List<Throwable> ends = new CopyOnWriteArrayList<>();
    final AtomicInteger events = new AtomicInteger();

    @Override
    public void onListed(FeedWriter.Repair outcome, String cause, long begunNanos) {
        listed.add(cause + " " + outcome);
    }

    @Override
    public void onWatching(boolean open) {}

    @Override
    public void onPublished() {}

    @Override
    public void onListHead(ListHead head) {
        heads.add(head);
    }

    @Override
    public void onWarnings(List<String> texts) {}

    @Override
    public void onBookmark(byte[] object) {
        bookmarks.add(new String(object, StandardCharsets.UTF_8));
    }

    @Override
    public void onEvents(int count) {
        events.addAndGet(count);
    }

    @Override
    public void onTrouble(Throwable cause) {
        troubles.add(cause);
    }

    @Override
    public void onEnded(Throwable cause) {
        ends.add(cause);
    }
}
