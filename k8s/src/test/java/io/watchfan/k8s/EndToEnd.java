package io.watchfan.k8s;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A class of tests against a real control plane. Its tests may ask for the {@link ControlPlane}, which all tests of a run
 * share, for a {@link ProxyProcess}, which those of a class share, and for the {@link World} that a test has for itself.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(EndToEndExtension.class)
@interface EndToEnd {
    /** Further flags of the proxy. */
    String[] proxyFlags() default {};
}
