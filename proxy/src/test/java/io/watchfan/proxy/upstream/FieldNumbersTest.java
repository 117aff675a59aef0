package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Batch;
import io.kubernetes.client.proto.V1Certificates;
import io.kubernetes.client.proto.V1Events;
import io.kubernetes.client.proto.V1Resource;
import io.kubernetes.client.proto.V1beta1Certificates;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.testing.Messages;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of field numbers, against the descriptors of the official client's generated classes. */
class FieldNumbersTest {
    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of("", "v1", V1.Pod.getDescriptor()),
                Arguments.of("", "v1", V1.Node.getDescriptor()),
                Arguments.of("", "v1", V1.ReplicationController.getDescriptor()),
                Arguments.of("", "v1", V1.Event.getDescriptor()),
                Arguments.of("", "v1", V1.Namespace.getDescriptor()),
                Arguments.of("", "v1", V1.Secret.getDescriptor()),
                Arguments.of("", "v1", V1.Service.getDescriptor()),
                Arguments.of("", "v1", V1.ConfigMap.getDescriptor()),
                Arguments.of("apps", "v1", V1Apps.Deployment.getDescriptor()),
                Arguments.of("events.k8s.io", "v1", V1Events.Event.getDescriptor()),
                Arguments.of("batch", "v1", V1Batch.Job.getDescriptor()),
                Arguments.of("certificates.k8s.io", "v1", V1Certificates.CertificateSigningRequest.getDescriptor()),
                Arguments.of("certificates.k8s.io", "v1beta1", V1beta1Certificates.ClusterTrustBundle.getDescriptor()),
                Arguments.of(
                        "certificates.k8s.io", "v1beta1", V1beta1Certificates.PodCertificateRequest.getDescriptor()),
                Arguments.of("resource.k8s.io", "v1", V1Resource.ResourceSlice.getDescriptor()));
    }

    /** An object with another value in each of the fields, as generated classes write it, is read field by field. */
    @ParameterizedTest
    @MethodSource("kinds")
    void shouldFindEveryFieldWhereTheMessageHasIt(String group, String version, Descriptor type) throws Exception {
        SelectableFields fields = SelectableFields.forBuiltIn(group, version, type.getName());
        List<List<String>> paths = fields.paths();
        DynamicMessage.Builder object = DynamicMessage.newBuilder(type);
        object.setField(
                type.findFieldByName("metadata"),
                Messages.metadata("n", "name", 7).build());
        String[] raw = new String[paths.size()];
        for (int i = 0; i < paths.size(); i++) {
            raw[i] = set(object, paths.get(i), i + 1);
        }
        ProtobufExtractor extractor = new ProtobufExtractor(fields, FieldNumbers.of(group, type.getName(), fields));
        byte[] bytes = object.build().toByteArray();

        String[] read = extractor.object(bytes, 0, bytes.length).fieldValues();

        assertThat(read).isEqualTo(fields.finish(raw));
        byte[] bare = DynamicMessage.newBuilder(type)
                .setField(
                        type.findFieldByName("metadata"),
                        Messages.metadata("n", "name", 7).build())
                .build()
                .toByteArray();
        assertThat(extractor.object(bare, 0, bare.length).fieldValues())
                .isEqualTo(fields.finish(new String[paths.size()]));
    }

    /** Sets the field that the path leads to; as it is in JSON. */
    private static String set(DynamicMessage.Builder object, List<String> path, int number) {
        FieldDescriptor field = object.getDescriptorForType().findFieldByName(path.get(0));
        assertThat(field).as("%s of %s", path, object.getDescriptorForType()).isNotNull();
        if (path.size() == 1) {
            switch (field.getJavaType()) {
                case BOOLEAN -> object.setField(field, true);
                case INT -> object.setField(field, number);
                case LONG -> object.setField(field, (long) number);
                default -> object.setField(field, "value-" + number);
            }
            return String.valueOf(object.getField(field));
        }
        if (field.isRepeated()) {
            // The first of two: [0] is the next step.
            DynamicMessage.Builder first = DynamicMessage.newBuilder(field.getMessageType());
            String value = set(first, path.subList(2, path.size()), number);
            DynamicMessage.Builder second = DynamicMessage.newBuilder(field.getMessageType());
            set(second, path.subList(2, path.size()), number + 1000);
            object.addRepeatedField(field, first.build());
            object.addRepeatedField(field, second.build());
            return value;
        }
        DynamicMessage.Builder inner = object.hasField(field)
                ? DynamicMessage.newBuilder((DynamicMessage) object.getField(field))
                : DynamicMessage.newBuilder(field.getMessageType());
        String value = set(inner, path.subList(1, path.size()), number);
        object.setField(field, inner.build());
        return value;
    }

    @Test
    void shouldNotBeHadOfFieldsItDoesNotKnow() {
        SelectableFields odd = SelectableFields.forCustom(true, List.of("spec.color"));

        assertThat(FieldNumbers.of("", "Pod", odd)).isNull();
        assertThat(FieldNumbers.of("e.io", "Shirt", SelectableFields.forCustom(true, List.of())))
                .isNotNull();
    }
}
