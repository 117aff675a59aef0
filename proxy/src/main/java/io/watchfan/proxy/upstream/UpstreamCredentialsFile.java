package io.watchfan.proxy.upstream;

import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.upstream.UpstreamCredentials.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Pattern;

/** A bearer token in a file that somebody else replaces now and then, as the kubelet does. */
final class UpstreamCredentialsFile implements UpstreamCredentials.Source {
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private final String what;
    private final Path file;
    private Object seen = "";

    /**
     * @param what the flag or key that names the file, for errors
     */
    UpstreamCredentialsFile(String what, Path file) {
        this.what = what;
        this.file = file;
    }

    @Override
    public Credential load() {
        Object stamp = stamp(file);
        String token = UpstreamTargetPem.read(what, file).toString().strip();
        checkToken(what + ": " + file, token);
        seen = stamp;
        return Credential.bearer(token);
    }

    @Override
    public boolean isStale() {
        return !seen.equals(stamp(file));
    }

    /** Makes sure that this can stand in a header. Does not repeat the token. */
    static void checkToken(String where, String token) {
        if (!TOKEN.matcher(token).matches()) {
            throw new UsageException(where + " holds no token" + (token.isEmpty() ? "" : " but something else"));
        }
    }

    /** Changes when the file does, also when a link on the way to it is turned elsewhere. */
    static Object stamp(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.lastModifiedTime() + " " + attributes.size() + " " + attributes.fileKey();
        } catch (IOException e) {
            return "";
        }
    }
}
