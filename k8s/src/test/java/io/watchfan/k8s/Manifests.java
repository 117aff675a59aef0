package io.watchfan.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Rendered manifests, read strictly. */
final class Manifests {
    /** What the deployment on its own is made of. */
    static final Path BASE = Checkout.MODULE.resolve("base");

    /** The example of an app with a sidecar. */
    static final Path SIDECAR = Checkout.MODULE.resolve("examples/sidecar");

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    private Manifests() {}

    /** The objects of a YAML stream; none may have a field that its type does not have. */
    static List<HasMetadata> parse(String yaml) {
        List<HasMetadata> objects = new ArrayList<>();
        for (String document : yaml.split("(?m)^---$", -1)) {
            Object object = SERIALIZATION.unmarshal(document);
            if (!(object instanceof HasMetadata resource)) {
                throw new IllegalArgumentException("not a known resource: " + document);
            }
            List<String> unknown = new ArrayList<>();
            collectUnknown(resource.getKind() + " " + resource.getMetadata().getName(), object, unknown);
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException("unknown fields: " + unknown);
            }
            objects.add(resource);
        }
        return objects;
    }

    /** The model keeps what it does not know in maps called additionalProperties. */
    private static void collectUnknown(String path, Object value, List<String> unknown) {
        if (value instanceof List<?> list) {
            for (int index = 0; index < list.size(); index++) {
                collectUnknown(path + "[" + index + "]", list.get(index), unknown);
            }
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> collectUnknown(path + "." + key, each, unknown));
        } else if (value != null && value.getClass().getPackageName().startsWith("io.fabric8.kubernetes.api.model")) {
            for (Class<?> type = value.getClass(); type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        Object inner = read(field, value);
                        if (!field.getName().equals("additionalProperties")) {
                            collectUnknown(path + "." + field.getName(), inner, unknown);
                        } else if (inner instanceof Map<?, ?> further) {
                            further.keySet().forEach(key -> unknown.add(path + "." + key));
                        }
                    }
                }
            }
        }
    }

    private static Object read(Field field, Object of) {
        try {
            field.setAccessible(true);
            return field.get(of);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The only object of this type. */
    static <T extends HasMetadata> T only(List<HasMetadata> objects, Class<T> type) {
        List<T> found = all(objects, type);
        if (found.size() != 1) {
            throw new IllegalArgumentException(found.size() + " objects are " + type.getSimpleName());
        }
        return found.get(0);
    }

    static <T extends HasMetadata> List<T> all(List<HasMetadata> objects, Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    static PodSpec podSpec(List<HasMetadata> objects) {
        return only(objects, Deployment.class).getSpec().getTemplate().getSpec();
    }

    /** The container that runs the proxy, be it a sidecar or not. */
    static Container proxy(PodSpec pod) {
        return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .filter(container -> container.getName().equals("watchfan"))
                .findFirst()
                .orElseThrow();
    }

    /** The values of a flag, written as {@code --flag=value}. */
    static List<String> flag(Container proxy, String flag) {
        return proxy.getArgs().stream()
                .filter(argument -> argument.startsWith(flag + "="))
                .map(argument -> argument.substring(flag.length() + 1))
                .toList();
    }
}
