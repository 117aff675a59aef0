package io.watchfan.proxy.upstream;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.watchfan.fanout.event.StoredObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One list of a collection, read page by page; whole when the pages of the present expire under way. Confined to its
 * reflector's thread; once it is closed, nothing is told.
 */
final class PagedList {
    private static final int PAGE = 500;
    /** More objects than any cluster has; an API server that goes on for ever is not followed. */
    private static final int MOST_PAGES = 20_000;

    private static final long TIMEOUT_MILLIS = 60_000;

    /** What is told of it. */
    interface Owner {
        /** A page's answer carries these Warning headers. */
        void onWarnings(List<String> warnings);

        /** A page's form has been seen. */
        void onListHead(ListHead head);

        /** All of it is there, at this version. The objects are the owner's now, in the order they came in. */
        void onComplete(long resourceVersion, List<StoredObject> objects);

        /** It has failed. */
        void onFailed(Throwable cause);
    }

    private final UpstreamClient client;
    private final ObjectFormat format;
    private final String path;
    private final long exactly;
    private final Owner owner;
    private final List<StoredObject> objects = new ArrayList<>();
    private String continuedAt = "";
    private int pages;
    private boolean closed;

    /**
     * @param path the collection's path, without a query
     * @param exactly the version of the state that is asked for; 0 for the present
     */
    PagedList(UpstreamClient client, ObjectFormat format, String path, long exactly, Owner owner) {
        this.client = client;
        this.format = format;
        this.path = path;
        this.exactly = exactly;
        this.owner = owner;
    }

    /** Asks for the first page; once. */
    void read() {
        readPage(
                exactly > 0
                        ? "?limit=" + PAGE + "&resourceVersion=" + exactly + "&resourceVersionMatch=Exact"
                        : "?limit=" + PAGE,
                this::failed);
    }

    private void readFurther(String continueToken) {
        readPage("?limit=" + PAGE + "&continue=" + URLEncoder.encode(continueToken, StandardCharsets.UTF_8), cause -> {
            if (exactly == 0 && UpstreamStatusException.codeOf(cause) == 410) {
                objects.clear();
                readPage("", this::failed);
            } else {
                failed(cause);
            }
        });
    }

    private void failed(Throwable cause) {
        owner.onFailed(cause);
    }

    /** Tells nothing from now on. */
    void close() {
        closed = true;
    }

    private void readPage(String query, Handler<Throwable> onFailed) {
        client.request(HttpMethod.GET, path + query)
                .compose(
                        request -> request.putHeader("Accept", format.encoding().listAccept())
                                .idleTimeout(TIMEOUT_MILLIS)
                                .send())
                .compose(response -> response.body().map(body -> checked(response, body)))
                .onComplete(result -> {
                    if (closed) {
                        return;
                    }
                    if (result.succeeded()) {
                        onPage(result.result());
                    } else {
                        onFailed.handle(result.cause());
                    }
                });
    }

    private Buffer checked(HttpClientResponse response, Buffer body) {
        format.encoding().check(response.statusCode(), response.getHeader("Content-Type"));
        if (response.statusCode() != 200) {
            throw new UpstreamStatusException(response.statusCode(), response.headers(), body);
        }
        if (!closed) {
            owner.onWarnings(response.headers().getAll("Warning"));
        }
        return body;
    }

    private void onPage(Buffer body) {
        ListHead head;
        try {
            head = format.list(body.getBytes(), objects);
        } catch (MalformedObjectException e) {
            failed(e);
            return;
        }
        owner.onListHead(head);
        pages++;
        boolean isThere = !continuedAt.isEmpty() && head.continueToken().equals(continuedAt);
        if (isThere || pages > MOST_PAGES) {
            failed(new MalformedObjectException("a list without an end: " + pages + " pages"));
        } else if (!head.continueToken().isEmpty()) {
            continuedAt = head.continueToken();
            readFurther(continuedAt);
        } else if (head.resourceVersion() <= 0) {
            failed(new UnversionedException("a list without a resourceVersion"));
        } else {
            owner.onComplete(head.resourceVersion(), objects);
        }
    }
}
