package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.k8s.MatrixClient.OnCut;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What holds of all that an informer tells, lists anew included, which may leave out what lies between. */
final class TellingCheck {
    private TellingCheck() {}

    /**
     * Every version told has been there with its value, none is older than the one told before of the same object, and what
     * is added was absent and what is modified or deleted was present. The last word of each object is what there is.
     *
     * @param truth all that a watch of the API server has told
     */
    static void check(MatrixClient client, List<Told> events, List<Told> truth) {
        Map<String, String> values = new HashMap<>();
        Map<String, Told> last = new HashMap<>();
        for (Told told : truth) {
            values.put(told.name() + "@" + told.version(), told.value());
            last.put(told.name(), told);
        }
        boolean tellsAll = client.tellsKinds() && client.onCut() != OnCut.ENDS;
        Map<String, Long> versions = new HashMap<>();
        Set<String> present = new HashSet<>();
        for (Told told : events) {
            assertThat(values).containsEntry(told.name() + "@" + told.version(), told.value());
            Long before = versions.put(told.name(), told.version());
            assertThat(told.version())
                    .as("%s after @%s", told, before)
                    .isGreaterThanOrEqualTo(before == null ? 0 : before);
            boolean wasPresent = told.isDeleted() ? present.remove(told.name()) : !present.add(told.name());
            if (tellsAll) {
                assertThat(wasPresent)
                        .as("present before %s", told)
                        .isEqualTo(!told.type().equals("ADDED"));
            }
        }
        if (tellsAll) {
            last.values()
                    .forEach(told -> assertThat(present.contains(told.name()))
                            .as("told to be there: %s", told.name())
                            .isEqualTo(!told.isDeleted()));
        }
    }
}
