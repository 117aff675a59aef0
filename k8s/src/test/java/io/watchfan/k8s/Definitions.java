package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** The definitions of the custom resources of the differential run. Each edition of one has defaults of its own. */
final class Definitions {
    private static final String PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final long PROBE_MILLIS = 50;

    private final Api direct;
    private int edition;

    Definitions(Api direct) {
        this.direct = direct;
    }

    /** Makes a definition that is not there, and returns when it is established. */
    void define(Subject subject) throws IOException, InterruptedException {
        String kind = subject == Subject.WIDGETS ? "Widget" : "Gadget";
        direct.post(
                        PATH,
                        "{\"metadata\":{\"name\":\"" + subject.fullName()
                                + "\"},\"spec\":{\"group\":\"diff.watchfan.io\",\"scope\":\""
                                + (subject.namespaced() ? "Namespaced" : "Cluster") + "\",\"names\":{\"plural\":\""
                                + subject.plural() + "\",\"singular\":\"" + kind.toLowerCase(Locale.ROOT)
                                + "\",\"kind\":\"" + kind + "\"}," + versions(false) + "}}")
                .expect(201);
        Awaitility.await().atMost(Watching.PATIENCE).until(() -> isEstablished(subject));
    }

    private boolean isEstablished(Subject subject) throws IOException, InterruptedException {
        for (JsonNode condition :
                direct.get(PATH + "/" + subject.fullName()).expect(200).json().at("/status/conditions")) {
            if (condition.path("type").asText().equals("Established")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    /** Changes what objects are by default, and whether who asks for them is warned. Tells what all of them say now. */
    String change(Subject subject, boolean deprecated) throws IOException, InterruptedException {
        direct.patch(PATH + "/" + subject.fullName(), "{\"spec\":{" + versions(deprecated) + "}}")
                .expect(200);
        return "\"edition" + edition + "\":\"x\"";
    }

    /** Deletes a definition, and returns when the API server does not know it any more. */
    void remove(Subject subject) throws IOException, InterruptedException {
        direct.delete(PATH + "/" + subject.fullName()).expect(200);
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .until(() -> direct.get(PATH + "/" + subject.fullName()).status() == 404
                        && direct.get(subject.everywhere()).status() == 404);
    }

    private String versions(boolean deprecated) {
        return "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"deprecated\":" + deprecated
                + (deprecated ? ",\"deprecationWarning\":\"edition " + (edition + 1) + " is old\"" : "")
                + ",\"selectableFields\":[{\"jsonPath\":\".spec.color\"},{\"jsonPath\":\".spec.count\"},"
                + "{\"jsonPath\":\".spec.on\"}],\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{"
                + "\"spec\":{\"type\":\"object\",\"default\":{},\"properties\":{\"color\":{\"type\":\"string\"},"
                + "\"count\":{\"type\":\"integer\"},\"on\":{\"type\":\"boolean\"},"
                + "\"edition" + ++edition + "\":{\"type\":\"string\",\"default\":\"x\"}}}}}}}]";
    }

    /** Waits until a server answers with all this in it. */
    static Api.Answer settled(Api api, String path, String content) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Watching.PATIENCE.toNanos();
        while (true) {
            Api.Answer answer = api.get(path);
            if (answer.status() == 200 && answer.text().contains(content)) {
                return answer;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        path + " has no " + content + " in it: " + answer.status() + " " + answer.text());
            }
            TimeUnit.MILLISECONDS.sleep(PROBE_MILLIS);
        }
    }
}
