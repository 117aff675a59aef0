package io.watchfan.proxy;

import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ConfigLoader.Invocation;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.logging.LogSettings;
import io.watchfan.proxy.upstream.UpstreamTarget;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process: {@code watchfan proxy ...}. Exit codes: 0 asked to stop and done, 1 could not start, or not end in
 * order, 2 called wrongly. What is wrong is said in one line on stderr.
 */
public final class ProxyMain {
    private static final int FAILED = 1;
    /** Beyond the grace period: for what is not a stream of a client. */
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(5);

    private ProxyMain() {}

    /** Runs the proxy until the process is told to stop. */
    public static void main(String[] args) {
        try {
            LogSettings.use(System.getenv());
            Invocation invocation = ConfigLoader.load(args);
            if (invocation instanceof Invocation.Show show) {
                System.out.print(show.text());
            } else if (invocation instanceof Invocation.Run run) {
                run(run.config());
            }
        } catch (UsageException e) {
            exit(e.getMessage(), UsageException.EXIT_CODE);
        }
    }

    private static void run(ProxyConfig config) {
        ProxyServer server = new ProxyServer(config, UpstreamTarget.of(config.upstream()));
        server.start()
                .onSuccess(v -> Runtime.getRuntime()
                        .addShutdownHook(new Thread(() -> stop(server, config.drainGrace()), "drain")))
                .onFailure(e -> exit(
                        "cannot listen (--listen " + config.listen() + ", --admin " + config.admin() + "): "
                                + e.getMessage(),
                        FAILED));
    }

    /**
     * On SIGTERM and SIGINT. The JVM would exit with 128 plus the number of the signal, as if it had been cut down, so it is
     * ended from here.
     */
    private static void stop(ProxyServer server, Duration grace) {
        int code = 0;
        // As the API server does it.
        Signals.onNext(() -> exit("told to end again, ended at once", FAILED));
        try {
            server.drainAndStop().await(grace.plus(LAST_PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | RuntimeException e) {
            Logger log = LoggerFactory.getLogger(ProxyMain.class);
            log.warn("not everything could be ended in order: {}", e.toString());
            code = FAILED;
        }
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(code);
    }

    private static void exit(String message, int code) {
        System.err.println("watchfan proxy: " + message);
        System.err.flush();
        Runtime.getRuntime().halt(code);
    }
}
