package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ChurnSchedule;
import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;

/** Carries out orders for changes, one after the other. One thread. */
final class SimOrders {
    /** So often are changes due that come all at once. */
    private static final double AT_ONCE_PER_SECOND = 1e9;

    private final SimulatedApiServer server;
    private final SplittableRandom seeds;

    SimOrders(SimulatedApiServer server, long seed) {
        this.server = server;
        this.seeds = new SplittableRandom(seed);
    }

    /** Serves orders until there are no more. */
    void serve(InputStream in, PrintWriter out) throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            out.println(answer(order.strip()));
            out.flush();
        }
    }

    private String answer(String order) throws InterruptedException {
        String[] words = order.split(" +", -1);
        try {
            long changes = words.length > 1 ? Long.parseLong(words[1]) : -1;
            if (changes >= 0 && words.length == 2 && words[0].equals("burst")) {
                return carryOut(changes, AT_ONCE_PER_SECOND);
            }
            if (changes >= 0 && words.length == 3 && words[0].equals("pace")) {
                return carryOut(changes, Double.parseDouble(words[2]));
            }
        } catch (IllegalArgumentException e) {
            return "no such order: " + order + " (" + e.getMessage() + ")";
        }
        return "no such order: " + order;
    }

    private String carryOut(long changes, double perSecond) throws InterruptedException {
        ChurnSchedule schedule = ChurnSchedule.ofModifications(perSecond, seeds.nextLong());
        try {
            return "done " + server.carryOut(schedule, changes).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
