package io.watchfan.proxy.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** URLs of API servers as people write them. */
public final class HttpUrl {
    private HttpUrl() {}

    /**
     * Reads an {@code http} or {@code https} URL with a host.
     *
     * @throws IllegalArgumentException with a message that says what is wrong
     */
    public static URI parse(String text) {
        URI url = null;
        String problem = "not an http or https URL with a host";
        try {
            url = new URI(text);
        } catch (URISyntaxException e) {
            problem = "not a URL: " + e.getReason();
        }
        if (url != null && url.getHost() != null && isHttp(url.getScheme())) {
            return url;
        }
        // Without a scheme, the name of a host may pass for one, and an address is no URL at all.
        throw new IllegalArgumentException("'" + text + "' is "
                + (text.contains("://") ? problem : "no URL; http:// or https:// is missing in front"));
    }

    private static boolean isHttp(String scheme) {
        String lower = scheme == null ? "" : scheme.toLowerCase(Locale.ROOT);
        return lower.equals("http") || lower.equals("https");
    }
}
