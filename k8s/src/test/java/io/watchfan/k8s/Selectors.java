package io.watchfan.k8s;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random selectors over the labels that {@link Population} gives, and broken ones. */
final class Selectors {
    /** A label that needs care: prefix, and all signs a value may have. */
    static final String ODD_KEY = "diff.watchfan.io/odd_key-1.0";

    private static final List<String> BROKEN_LABELS = List.of(
            "app=",
            "app in (a",
            "app in a)",
            "app in",
            "app notin ()",
            "a,",
            ",a",
            "app=a b",
            "app>x",
            "tier>1,tier<",
            "!",
            "!app=a",
            "app==a==b",
            "=a",
            "app in (a,,b)",
            "app in (-a)",
            "-app",
            "app=a_",
            "x/y/z=a",
            "UPPER/a=b",
            "app!",
            "app=" + "v".repeat(64),
            "k".repeat(64),
            "app in (a),,tier",
            "app\t=\na",
            "in in (in)",
            "notin",
            "app=ä",
            "a>1,a>=2",
            "()",
            "app exists",
            "app=a,tier in (1",
            "tier<99999999999999999999",
            "app=\"a\"");
    private static final List<String> BROKEN_FIELDS = List.of(
            "metadata.name",
            "metadata.name=a=b",
            "metadata.name=a\\",
            "metadata.name=\\x",
            "nope=1",
            "metadata.labels=a",
            "=a",
            ",",
            ",,metadata.name=x",
            " metadata.name=x",
            "metadata.name= x",
            "metadata.name!=",
            "metadata.name==",
            "metadata.uid=1",
            "spec.nope!=1",
            "metadata.name=a,nope=1",
            "metadata.name in (a)",
            "metadata.name!==a",
            "status.replicas=1",
            "metadata.name=..",
            "metadata.name=a/b",
            "metadata.namespace=,metadata.name=%");

    private Selectors() {}

    /** One that is well formed, unless it happens not to be. */
    static String labels(Random random) {
        List<String> requirements = new ArrayList<>();
        int count = 1 + random.nextInt(random.nextInt(3) + 1);
        for (int each = 0; each < count; each++) {
            requirements.add(requirement(random));
        }
        return String.join(random.nextInt(8) == 0 ? " , " : ",", requirements);
    }

    private static String requirement(Random random) {
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> "app=" + value(random);
            case 3 -> "app!=" + value(random);
            case 4 -> "app in (" + value(random) + "," + value(random) + ")";
            case 5 -> "app notin (" + value(random) + ", " + value(random) + ")";
            case 6 -> random.nextBoolean() ? "tier" : "!tier";
            case 7 -> "tier>" + random.nextInt(8);
            case 8 -> "tier < " + random.nextInt(8);
            case 9 -> "tier=";
            case 10 -> (random.nextBoolean() ? "!" : "") + ODD_KEY;
            default -> ODD_KEY + "==Q.w_e-r";
        };
    }

    private static String value(Random random) {
        return List.of("a", "b", "c", "").get(random.nextInt(4));
    }

    static String brokenLabels(Random random) {
        return BROKEN_LABELS.get(random.nextInt(BROKEN_LABELS.size()));
    }

    /** Over the fields of a resource, and names. */
    static String fields(Subject subject, Population population, Random random) {
        List<String> terms = new ArrayList<>();
        List<String> own = subject.fields().keySet().stream().sorted().toList();
        int count = 1 + random.nextInt(random.nextInt(2) + 1);
        for (int each = 0; each < count; each++) {
            String operator = List.of("=", "=", "==", "!=").get(random.nextInt(4));
            if (!own.isEmpty() && random.nextInt(4) != 0) {
                String field = own.get(random.nextInt(own.size()));
                List<String> values = subject.fields().get(field);
                terms.add(field + operator + escaped(values.get(random.nextInt(values.size()))));
            } else if (subject.namespaced() && random.nextInt(3) == 0) {
                terms.add("metadata.namespace" + operator + population.namespace(random));
            } else {
                terms.add("metadata.name" + operator + population.name(subject, random));
            }
        }
        return String.join(",", terms);
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
    }

    static String brokenFields(Random random) {
        return BROKEN_FIELDS.get(random.nextInt(BROKEN_FIELDS.size()));
    }
}
