package io.watchfan.loadtest.swarm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Reads from a target what must be known before watchers start. Any thread. */
public final class TargetReader {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final long RETRY_MILLIS = 200;

    private final Target target;
    private final Duration timeout;

    /** A reader that takes this long at most for each answer, with all attempts. */
    public TargetReader(Target target, Duration timeout) {
        this.target = target;
        this.timeout = timeout;
    }

    /** The version of the collection now, from which a watch misses nothing. */
    public long currentVersion() throws IOException, InterruptedException {
        JsonNode list = list(target.collection() + "?limit=1");
        String version = list.at("/metadata/resourceVersion").asText();
        try {
            return Long.parseLong(version);
        } catch (NumberFormatException e) {
            throw new IOException(
                    "the list of " + target.collection() + " has no usable resourceVersion: " + version, e);
        }
    }

    /** The names of at most so many objects of a collection. */
    public List<String> names(String collection, int most) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        list(collection + "?limit=" + most)
                .path("items")
                .forEach(item -> names.add(item.at("/metadata/name").asText()));
        return names;
    }

    /** Lists; as clients do, again and again while the server cannot be reached or says that it cannot now. */
    private JsonNode list(String pathAndQuery) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                HttpGet.Answer answer = HttpGet.get(target, pathAndQuery, timeout);
                if (answer.status() == 200) {
                    return MAPPER.readTree(answer.body());
                }
                String said = "GET " + pathAndQuery + " was answered with " + answer.status() + ": "
                        + answer.body()
                                .substring(0, Math.min(answer.body().length(), 300))
                                .strip();
                if ((answer.status() < 500 && answer.status() != 429) || System.nanoTime() - deadline >= 0) {
                    throw new RefusedException(said);
                }
            } catch (JsonProcessingException e) {
                throw new IOException(
                        "GET " + pathAndQuery + " was not answered with JSON: " + e.getOriginalMessage(), e);
            } catch (RefusedException e) {
                throw e;
            } catch (IOException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
    }

    /** An answer that will not change. */
    private static final class RefusedException extends IOException {
        RefusedException(String message) {
            super(message);
        }
    }
}
