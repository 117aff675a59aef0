package io.watchfan.proxy;

import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Signals that come while the JVM shuts down, which it has no public way to hear of. What it has is {@code sun.misc.Signal}, of
 * the module jdk.unsupported; by reflection, since the compiler warns of every other use.
 */
final class Signals {
    private Signals() {}

    /** Has {@code action} run at the next SIGINT or SIGTERM. Where the JVM is not to handle signals (-Xrs), nothing happens. */
    static void onNext(Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object runs = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        action.run();
                        return null;
                    });
            for (String name : List.of("INT", "TERM")) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), runs);
            }
        } catch (ReflectiveOperationException e) {
            // Then the first signal alone counts.
        }
    }
}
