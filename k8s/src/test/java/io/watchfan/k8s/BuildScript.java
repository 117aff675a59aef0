package io.watchfan.k8s;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The scripts of {@code e2e} that build what the tests run, where this has not been done yet. */
final class BuildScript {
    private static final long MOST_MINUTES = 30;
    /** How a script ends that finds no tools to build with. */
    private static final int NOT_HERE = 69;

    private BuildScript() {}

    /**
     * Runs {@code e2e/FOLDER/build.sh}.
     *
     * @return where the result is; null where there are no tools to build with
     */
    static Path run(String folder, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Checkout.MODULE
                .resolve("e2e")
                .resolve(folder)
                .resolve("build.sh")
                .toString());
        command.addAll(List.of(arguments));
        Process build = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        build.getOutputStream().close();
        CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> {
            try {
                return new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                return "";
            }
        });
        if (!build.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
            build.destroyForcibly();
            throw new IOException("not built after " + MOST_MINUTES + " minutes: " + command);
        }
        if (build.exitValue() == NOT_HERE) {
            return null;
        }
        if (build.exitValue() != 0) {
            throw new IOException("not built, see above: " + command);
        }
        return Path.of(output.join().strip());
    }
}
