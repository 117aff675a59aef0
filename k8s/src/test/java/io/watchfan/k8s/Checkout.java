package io.watchfan.k8s;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where things are in this checkout. Tests of this module run in its folder. */
final class Checkout {
    /** The folder of this module. */
    static final Path MODULE = module();

    /** The program under test. */
    static final Path LAUNCHER = Path.of(System.getProperty(
            "watchfan.launcher", MODULE.resolveSibling("watchfan").toString()));

    private Checkout() {}

    private static Path module() {
        Path here = Path.of("").toAbsolutePath();
        return here.endsWith("k8s") ? here : here.resolve("k8s");
    }

    /** A folder for what a run leaves behind, such as logs. */
    static Path leftovers(String name) throws IOException {
        return Files.createDirectories(MODULE.resolve("target").resolve("e2e").resolve(name));
    }
}
