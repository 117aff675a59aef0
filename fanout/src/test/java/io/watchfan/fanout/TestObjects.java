package io.watchfan.fanout;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;

/** Objects for tests: small, and with the version where the JSON says it is. */
public final class TestObjects {
    private TestObjects() {}

    /** The key of {@code NAMESPACE/NAME}, or of {@code NAME}. */
    public static ObjectKey key(String path) {
        int slash = path.indexOf('/');
        return slash < 0 ? new ObjectKey("", path) : new ObjectKey(path.substring(0, slash), path.substring(slash + 1));
    }

    /** An object without labels, whose uid is its path. */
    public static StoredObject object(String path, long version) {
        return object(key(path), path, version, Labels.EMPTY, (String[]) null);
    }

    /** An object whose JSON has {@code bytes} bytes. */
    public static StoredObject objectOfSize(String path, long version, int bytes) {
        String digits = Long.toString(version);
        String head = "{\"metadata\":{\"resourceVersion\":\"" + digits + "\"},\"pad\":\"";
        String json = head + "x".repeat(bytes - head.length() - 2) + "\"}";
        return new StoredObject(
                key(path),
                path,
                version,
                Labels.EMPTY,
                null,
                json.getBytes(StandardCharsets.UTF_8),
                json.indexOf(digits),
                digits.length(),
                json.indexOf('{', 1),
                json.indexOf('}') + 1 - json.indexOf('{', 1));
    }

    /** An object with all that selectors judge. */
    public static StoredObject object(ObjectKey key, String uid, long version, Labels labels, String... fields) {
        String digits = Long.toString(version);
        String head = "{\"metadata\":{\"resourceVersion\":\"";
        String json = head + digits + "\",\"name\":\"" + key.name() + "\",\"uid\":\"" + uid + "\"}}";
        return new StoredObject(
                key,
                uid,
                version,
                labels,
                fields,
                json.getBytes(StandardCharsets.UTF_8),
                head.length(),
                digits.length(),
                json.indexOf('{', 1),
                json.length() - 1 - json.indexOf('{', 1));
    }

    /** The value of a private field, for tests of what an object holds on to. */
    public static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
