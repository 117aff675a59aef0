package io.watchfan.proxy.upstream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A certificate authority, a server's and a client's certificate with their keys, made by the JDK's keytool for one test
 * run: no key is kept anywhere.
 */
final class UpstreamTargetCertificates {
    private static final String PASSWORD = "changeit";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private final Path folder;
    private final Path store;

    /** Makes all of them below {@code folder}. */
    UpstreamTargetCertificates(Path folder) throws Exception {
        this.folder = folder;
        this.store = folder.resolve("keys.p12");
        pair("ca", "CN=ca", "-ext", "bc:c");
        signed("server", "CN=server", "-ext", "san=ip:127.0.0.1,dns:api.example");
        signed("client", "CN=client", "-ext", "eku=clientAuth");
        signed("client2", "CN=client2", "-ext", "eku=clientAuth");
    }

    /** The authority's certificate, PEM. */
    String ca() throws Exception {
        return certificate("ca");
    }

    /** The certificate of this alias, PEM. */
    String certificate(String alias) throws Exception {
        Certificate certificate = keys().getCertificate(alias);
        return pem("CERTIFICATE", certificate.getEncoded());
    }

    /** The private key of this alias, PEM, PKCS#8. */
    String key(String alias) throws Exception {
        return pem("PRIVATE KEY", keys().getKey(alias, PASSWORD.toCharArray()).getEncoded());
    }

    private KeyStore keys() throws Exception {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private void signed(String alias, String name, String... extensions) throws Exception {
        List<String> all = new ArrayList<>(List.of("-signer", "ca"));
        all.addAll(List.of(extensions));
        pair(alias, name, all.toArray(String[]::new));
    }

    private void pair(String alias, String name, String... more) throws Exception {
        List<String> generate = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-dname", name));
        generate.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        generate.addAll(List.of(more));
        keytool(generate.toArray(String[]::new));
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.add("-J-XX:TieredStopAtLevel=1");
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Path output = Files.createTempFile(folder, "keytool", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("keytool " + arguments[0] + ": " + Files.readString(output));
        }
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + LINES.encodeToString(der) + "\n-----END " + type + "-----\n";
    }

    /** As kubeconfigs hold it. */
    static String base64(String pem) {
        return Base64.getEncoder().encodeToString(pem.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}
