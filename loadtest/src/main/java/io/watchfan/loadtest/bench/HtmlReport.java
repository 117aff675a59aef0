package io.watchfan.loadtest.bench;

import java.util.Locale;
import java.util.stream.Stream;

/**
 * The report as one page that needs nothing else: a row for each figure, with a plot of its rounds. In a plot, which
 * begins at zero, dots are rounds, the box reaches from the lower to the upper quartile, the bar in it is the median,
 * and the dashed line is what the figure must not pass.
 */
public final class HtmlReport {
    private static final int PLOT_WIDTH = 320;
    private static final int PLOT_HEIGHT = 22;
    private static final double HEAD_ROOM = 1.08;

    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>watchfan bench</title><style>
            body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#222}
            table{border-collapse:collapse;margin:.6em 0}td,th{padding:.15em .8em .15em 0;text-align:left}
            td.n{text-align:right;font-variant-numeric:tabular-nums}th{border-bottom:1px solid #999}
            .missed{color:#b00020;font-weight:600}.met{color:#1b6e2c}.note{color:#555}
            svg{display:block}svg .box{fill:#c9dcf3}svg .median{stroke:#1c4f8f;stroke-width:2.5}
            svg .round{fill:#1c4f8f;fill-opacity:.6}svg .must{stroke:#b00020;stroke-dasharray:3 2}
            svg .axis{stroke:#bbb}
            </style></head><body><h1>watchfan bench</h1>
            """;

    private HtmlReport() {}

    /** The page. */
    public static String of(BenchReport report) {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("<p>").append(text(report.environment().toString()));
        page.append("<br>load average ").append(text(report.loadBefore())).append(" before, ");
        page.append(text(report.loadAfter()))
                .append(" after<br>seed ")
                .append(report.plan().seed());
        page.append("; ")
                .append(text(String.join(" ", report.plan().proxyCommand())))
                .append("</p>\n");
        report.scenarios().forEach(scenario -> append(page, scenario));
        return page.append("</body></html>\n").toString();
    }

    private static void append(StringBuilder page, ScenarioReport scenario) {
        page.append("<h2>").append(text(scenario.name())).append("</h2>\n<p>");
        page.append(text(scenario.about())).append(".</p>\n<p class=\"note\">");
        page.append(String.format(
                Locale.ROOT,
                "%,d watchers, %d rounds, %.0f s; others kept %.2f processors busy",
                scenario.watchers(),
                scenario.rounds(),
                scenario.seconds(),
                scenario.othersCores()));
        page.append("</p>\n");
        if (scenario.failure() != null) {
            page.append("<p class=\"missed\">FAILED: ")
                    .append(text(scenario.failure()))
                    .append("</p>\n");
        }
        page.append("<table><tr><th>figure</th><th>median</th><th>quartiles</th><th>rounds</th><th>must</th></tr>\n");
        scenario.figures().forEach(figure -> append(page, figure));
        page.append("</table>\n");
        scenario.notes()
                .forEach(note ->
                        page.append("<p class=\"note\">").append(text(note)).append("</p>\n"));
        scenario.tables().forEach(table -> append(page, table));
    }

    private static void append(StringBuilder page, Figure figure) {
        page.append("<tr><td>").append(text(figure.name())).append("</td><td class=\"n\">");
        page.append(Figure.number(figure.median())).append(' ').append(text(figure.unit()));
        page.append("</td><td class=\"n\">").append(Figure.number(figure.lowerQuartile()));
        page.append(" to ").append(Figure.number(figure.upperQuartile())).append("</td><td>");
        page.append(plot(figure)).append("</td><td class=\"");
        page.append(figure.verdict().name().toLowerCase(Locale.ROOT)).append("\">");
        page.append(text(figure.verdictText().strip())).append("</td></tr>\n");
    }

    private static String plot(Figure figure) {
        double limit = figure.must() == null ? 0 : figure.must().limit();
        double most = Stream.concat(Stream.of(limit), figure.samples().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        // What shrank lies left of zero.
        double least = figure.samples().stream()
                .mapToDouble(Double::doubleValue)
                .map(value -> Math.min(value, 0))
                .min()
                .orElse(0);
        double width = Math.max(most - least, Double.MIN_NORMAL) * HEAD_ROOM;
        double scale = PLOT_WIDTH / width;
        StringBuilder plot = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"rounds\">",
                PLOT_WIDTH,
                PLOT_HEIGHT));
        line(plot, "axis", -least * scale);
        double from = (figure.lowerQuartile() - least) * scale;
        double to = (figure.upperQuartile() - least) * scale;
        plot.append(String.format(
                Locale.ROOT,
                "<rect class=\"box\" x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"%d\"/>",
                from,
                Math.max(to - from, 1),
                PLOT_HEIGHT - 8));
        line(plot, "median", (figure.median() - least) * scale);
        for (double sample : figure.samples()) {
            plot.append(String.format(
                    Locale.ROOT,
                    "<circle class=\"round\" cx=\"%.1f\" cy=\"%d\" r=\"2.5\"/>",
                    (sample - least) * scale,
                    PLOT_HEIGHT / 2));
        }
        if (figure.must() != null) {
            line(plot, "must", (limit - least) * scale);
        }
        return plot.append("</svg>").toString();
    }

    private static void line(StringBuilder plot, String kind, double x) {
        plot.append(String.format(
                Locale.ROOT,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"1\" x2=\"%.1f\" y2=\"%d\"/>",
                kind,
                x,
                x,
                PLOT_HEIGHT - 1));
    }

    private static void append(StringBuilder page, ScenarioReport.Table table) {
        page.append("<details><summary>").append(text(table.title())).append("</summary><table><tr>");
        table.columns()
                .forEach(column -> page.append("<th>").append(text(column)).append("</th>"));
        page.append("</tr>\n");
        table.rows().forEach(row -> {
            page.append("<tr>");
            row.forEach(cell -> page.append("<td>").append(text(cell)).append("</td>"));
            page.append("</tr>\n");
        });
        page.append("</table></details>\n");
    }

    private static String text(String raw) {
        return raw.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
