package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpMethod;

/** Answers token and access reviews: every token is a user of its own name, and every user may do everything. */
final class Reviews {
    private static final String AUTHENTICATION = "/apis/authentication.k8s.io/v1/";
    private static final String AUTHORIZATION = "/apis/authorization.k8s.io/v1/";

    private Reviews() {}

    /** The answer; null when the request is no review. */
    static byte[] answer(ApiRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            return null;
        }
        String path = request.path();
        if (path.equals(AUTHENTICATION + "tokenreviews")) {
            return tokenReview(ObjectJson.parse(request.body()));
        }
        if (path.equals(AUTHORIZATION + "subjectaccessreviews")
                || path.equals(AUTHORIZATION + "selfsubjectaccessreviews")) {
            ObjectNode review = ObjectJson.parse(request.body());
            review.putObject("status").put("allowed", true);
            return ObjectJson.bytes(review);
        }
        return null;
    }

    private static byte[] tokenReview(ObjectNode review) {
        String token = review.at("/spec/token").asText();
        ObjectNode status = review.putObject("status");
        status.put("authenticated", !token.isEmpty());
        if (!token.isEmpty()) {
            ObjectNode user = status.putObject("user");
            user.put("username", token);
            user.putArray("groups").add("system:authenticated");
        }
        return ObjectJson.bytes(review);
    }
}
