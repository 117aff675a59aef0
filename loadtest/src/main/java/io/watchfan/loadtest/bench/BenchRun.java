package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.net.Transport;
import io.watchfan.loadtest.report.RunEnvironment;
import io.watchfan.loadtest.report.StatusLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs scenarios, each for its rounds. One thread. */
public final class BenchRun {
    private final BenchPlan plan;
    private final StatusLine status;

    public BenchRun(BenchPlan plan, StatusLine status) {
        this.plan = plan;
        this.status = status;
    }

    /** Takes what there is to report so far. */
    public interface Progress {
        void report(BenchReport soFar) throws IOException;
    }

    /**
     * Runs all scenarios; one that fails does not keep the others from running.
     *
     * @param progress is told after each scenario, so that what is known is not lost with a run that is broken off
     */
    public BenchReport run(Progress progress) throws IOException, InterruptedException {
        RunEnvironment environment = RunEnvironment.here(Transport.name());
        String loadBefore = HostUsage.loadAverage();
        List<ScenarioReport> reports = new ArrayList<>();
        BenchReport report = null;
        for (String name : plan.scenarios()) {
            reports.add(run(name, Scenarios.of(name)));
            report = new BenchReport(plan, environment, loadBefore, HostUsage.loadAverage(), List.copyOf(reports));
            progress.report(report);
        }
        return report;
    }

    private ScenarioReport run(String name, Scenario scenario) throws InterruptedException {
        int watchers = plan.watchers() == 0 ? scenario.defaultWatchers() : plan.watchers();
        Stage stage = new Stage(plan, watchers, status);
        Samples samples = new Samples();
        HostUsage host = new HostUsage();
        long start = System.nanoTime();
        int rounds = 0;
        String failure = null;
        while (rounds < plan.rounds() && failure == null) {
            stage.say(String.format(
                    Locale.ROOT, "%s: round %d of %d, %,d watchers", name, rounds + 1, plan.rounds(), watchers));
            try {
                scenario.round(stage, samples);
                rounds++;
            } catch (IOException | IllegalStateException e) {
                failure = "round " + (rounds + 1) + ": " + e.getMessage();
            }
        }
        status.close();
        return new ScenarioReport(
                name,
                scenario.about(),
                watchers,
                rounds,
                (System.nanoTime() - start) / 1e9,
                host.othersCores(),
                samples.figures(scenario.bounds(), watchers >= scenario.defaultWatchers()),
                samples.tables(),
                samples.notes(),
                failure);
    }
}
