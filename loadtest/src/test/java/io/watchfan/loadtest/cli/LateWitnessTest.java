package io.watchfan.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.loadtest.apiserver.RequestListener;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LateWitnessTest {
    private final List<String> heard = new ArrayList<>();

    /** What it does not pass on, a soak would take for never having happened. */
    @Test
    void shouldPassOnAllThatThereIsToHear() throws Exception {
        for (Method method : RequestListener.class.getMethods()) {
            assertThat(LateWitness.class
                            .getMethod(method.getName(), method.getParameterTypes())
                            .getDeclaringClass())
                    .as(method.getName())
                    .isEqualTo(LateWitness.class);
        }
    }

    @Test
    void shouldTellItsWitnessOfWhatHasExpired() {
        LateWitness late = new LateWitness();
        late.onExpired("pods", 1);
        late.begin(new RequestListener() {
            @Override
            public void onExpired(String resource, long version) {
                heard.add(resource + " " + version);
            }
        });

        late.onExpired("pods", 2);

        assertThat(heard).containsExactly("pods 2");
    }
}
