package io.watchfan.k8s;

/**
 * What a watcher has been told.
 *
 * @param type {@code ADDED}, {@code MODIFIED} or {@code DELETED}
 * @param name the object's
 * @param resourceVersion the object's
 */
record Event(String type, String name, long resourceVersion) {
    @Override
    public String toString() {
        return type + " " + name + "@" + resourceVersion;
    }
}
