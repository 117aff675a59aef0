package io.watchfan.proxy.upstream;

import io.watchfan.fanout.event.StoredObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A list under way: what it is for, and what has come of it so far. */
record PagedList(String cause, long exactly, boolean paged, List<StoredObject> objects) {
    private static final int PAGE = 500;

    PagedList(String cause, long exactly, boolean paged) {
        this(cause, exactly, paged, new ArrayList<>());
    }

    String query(String continueToken) {
        if (!continueToken.isEmpty()) {
            return "?limit=" + PAGE + "&continue=" + URLEncoder.encode(continueToken, StandardCharsets.UTF_8);
        }
        String exact = exactly > 0 ? "resourceVersion=" + exactly + "&resourceVersionMatch=Exact" : "";
        String limit = paged ? "limit=" + PAGE : "";
        return exact.isEmpty() && limit.isEmpty()
                ? ""
                : "?" + limit + (exact.isEmpty() || limit.isEmpty() ? "" : "&") + exact;
    }
}
