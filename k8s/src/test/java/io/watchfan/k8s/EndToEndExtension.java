package io.watchfan.k8s;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link EndToEnd} promises. */
final class EndToEndExtension implements ExecutionCondition, ParameterResolver, AfterTestExecutionCallback {
    private static final Namespace NAMESPACE = Namespace.create(EndToEndExtension.class);
    private static final String HOW = "the tests against a real control plane run with CI=true or -Dwatchfan.e2e";
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    /** Whether these tests are to be run. */
    static boolean isWanted() {
        return "true".equals(System.getenv("CI")) || System.getProperty("watchfan.e2e") != null;
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (isWanted()) {
            return ConditionEvaluationResult.enabled("wanted");
        }
        if (TOLD.compareAndSet(false, true)) {
            System.out.println("k8s: skipped; " + HOW);
        }
        return ConditionEvaluationResult.disabled(HOW);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == ControlPlane.class || type == ProxyProcess.class || type == World.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (type == ControlPlane.class) {
            return cluster(context);
        }
        return type == ProxyProcess.class ? proxy(context) : world(context);
    }

    private static ControlPlane cluster(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(
                        ControlPlane.class, key -> made("control plane", ControlPlane::start), ControlPlane.class);
    }

    private static ProxyProcess proxy(ExtensionContext context) {
        ControlPlane cluster = cluster(context);
        Class<?> tests = context.getRequiredTestClass();
        String[] flags = tests.getAnnotation(EndToEnd.class).proxyFlags();
        return ofClass(context)
                .getStore(NAMESPACE)
                .computeIfAbsent(
                        ProxyProcess.class,
                        key -> made("proxy", () -> ProxyProcess.start(tests.getSimpleName(), cluster, flags)),
                        ProxyProcess.class);
    }

    private static World world(ExtensionContext context) {
        ControlPlane cluster = cluster(context);
        ProxyProcess proxy = proxy(context);
        return context.getStore(NAMESPACE)
                .computeIfAbsent(World.class, key -> made("world", () -> World.create(cluster, proxy)), World.class);
    }

    private interface Making<T> {
        T make() throws Exception;
    }

    private static <T> T made(String what, Making<T> making) {
        try {
            return making.make();
        } catch (Exception e) {
            throw new ParameterResolutionException("no " + what + ": " + e.getMessage(), e);
        }
    }

    /** The context of the class, in which things live till its last test is over. */
    private static ExtensionContext ofClass(ExtensionContext context) {
        ExtensionContext at = context;
        while (at.getTestMethod().isPresent()) {
            at = at.getParent().orElseThrow();
        }
        return at;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) throws Exception {
        if (context.getExecutionException().isPresent()) {
            ProxyProcess proxy = ofClass(context).getStore(NAMESPACE).get(ProxyProcess.class, ProxyProcess.class);
            if (proxy != null) {
                System.out.println(context.getDisplayName() + " failed\n" + proxy.tail());
            }
        }
    }
}
