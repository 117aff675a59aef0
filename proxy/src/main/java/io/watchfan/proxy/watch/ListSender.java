package io.watchfan.proxy.watch;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.watchfan.proxy.stream.ResponseStreams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a list, or another body that is made in portions, as its client takes it. Two portions at most are on their way: the
 * response's own mark is of messages, whatever their size. The state is held meanwhile, so a client that takes nothing for the
 * write timeout, or not all by the deadline, is cut; the API server does the latter by its own {@code --request-timeout}.
 *
 * <p>Confined to its event loop.
 */
final class ListSender {
    private static final Logger LOG = LoggerFactory.getLogger(ListSender.class);
    private static final int MOST_ON_THEIR_WAY = 2;
    private static final long NO_TIMER = -1;

    private final LoopDispatcher loop;
    private final HttpServerRequest http;
    private final HttpServerResponse response;
    private final PortionSource portions;
    private final long deadlineMillis;
    private int onTheirWay;
    private boolean isQueued;
    private boolean isOver;
    private long timer = NO_TIMER;

    /**
     * @param portions what is left of the list; closed when all has been sent, or the client is gone
     * @param deadlineMillis when all of it must have been taken, in the loop's milliseconds
     */
    ListSender(LoopDispatcher loop, HttpServerRequest http, PortionSource portions, long deadlineMillis) {
        this.loop = loop;
        this.http = http;
        this.response = http.response();
        this.portions = portions;
        this.deadlineMillis = deadlineMillis;
    }

    /** Sends {@code first} and then the rest. */
    void start(Buffer first) {
        response.closeHandler(v -> over());
        send(first);
        goOn();
    }

    private void over() {
        if (!isOver) {
            isOver = true;
            stopTimer();
            portions.close();
        }
    }

    private void send(Buffer portion) {
        onTheirWay++;
        response.write(portion).onComplete(this::sent);
    }

    private void sent(AsyncResult<Void> outcome) {
        onTheirWay--;
        stopTimer();
        if (outcome.succeeded()) {
            goOnLater();
        }
    }

    /** Not at once, so that the loop's other clients have their turns. */
    private void goOnLater() {
        if (!isQueued) {
            isQueued = true;
            loop.execute(() -> {
                isQueued = false;
                goOn();
            });
        }
    }

    private void goOn() {
        try {
            sendMore();
        } catch (RuntimeException e) {
            LOG.error("a list could not be made; its client is cut path={}", http.path(), e);
            ResponseStreams.cut(http);
            over();
        }
    }

    private void sendMore() {
        if (isOver || response.ended()) {
            // Or it is over as soon as its end, which is on its way, has been sent.
            return;
        }
        if (response.closed()) {
            over();
            return;
        }
        if (onTheirWay < MOST_ON_THEIR_WAY) {
            Buffer portion = portions.next();
            if (portions.isDone()) {
                stopTimer();
                Future<Void> ended = response.end(portion);
                ended.onComplete(outcome -> over());
                loop.cutUnless(ended, () -> ResponseStreams.cut(http));
                return;
            }
            // Where none of the objects that were looked at is in the scope there is nothing.
            if (portion.length() > 0) {
                send(portion);
            }
        }
        if (onTheirWay < MOST_ON_THEIR_WAY) {
            // A client that is fast enough may have taken all already, and would so get the whole list in one turn.
            goOnLater();
        } else if (timer == NO_TIMER) {
            startTimer();
        }
    }

    private void startTimer() {
        long left = Math.max(1, deadlineMillis - LoopDispatcher.nowMillis());
        boolean isLast = left < loop.writeTimeoutMillis();
        timer = loop.after(isLast ? left : loop.writeTimeoutMillis(), () -> {
            String limit = isLast ? "request_timeout" : "write_timeout";
            LOG.info("list cut path={} limit={}", http.path(), limit);
            loop.metrics().responseCut(limit);
            ResponseStreams.cut(http);
        });
    }

    private void stopTimer() {
        if (timer != NO_TIMER) {
            loop.cancel(timer);
            timer = NO_TIMER;
        }
    }
}
