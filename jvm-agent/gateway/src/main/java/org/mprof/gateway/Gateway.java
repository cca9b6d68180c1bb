package org.mprof.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import py4j.GatewayServer;

/**
 * The py4j entry point, run on a cluster's own class path with its configuration folder first.
 *
 * <p>Usage: {@code Gateway READY_FILE [--embedded WORK_DIR]}. Once everything answers, the ready
 * file holds one JSON object: the port, the token that each connection must show, and for an
 * embedded cluster its addresses and folders; or {@code error}, when it could not be started.
 *
 * <p>Without {@code --embedded} the process ends when its standard input does, so that it never
 * outlives the command that started it. With it, it stays until it is told to stop.
 */
public final class Gateway {

  private static final int TOKEN_BYTES = 32;

  private Gateway() {}

  /** Starts the gateway; see the class. */
  public static void main(String[] arguments) {
    Path ready = Paths.get(arguments[0]);
    boolean embedded = arguments.length > 1;
    try {
      Map<String, Object> facts = new LinkedHashMap<>();
      JobConf client = new JobConf();
      if (embedded) {
        facts.putAll(EmbeddedCluster.start(Paths.get(arguments[2]), client));
      }
      String token = newToken();
      GatewayServer server = serve(new EntryPoint(client), token);
      facts.put("port", server.getListeningPort());
      facts.put("token", token);
      PrivateFile.write(ready, Json.write(facts));
    } catch (Throwable fault) {
      report(ready, fault);
      // Hadoop's own threads are not daemons and would keep a half-started process alive.
      Runtime.getRuntime().halt(1);
    }
    if (!embedded) {
      awaitEndOfInput();
    }
  }

  private static GatewayServer serve(EntryPoint entryPoint, String token) {
    GatewayServer server =
        new GatewayServer.GatewayServerBuilder(entryPoint)
            .javaPort(0)
            .javaAddress(InetAddress.getLoopbackAddress())
            .authToken(token)
            .build();
    server.start();
    return server;
  }

  private static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    StringBuilder token = new StringBuilder();
    for (byte each : bytes) {
      token.append(String.format("%02x", each));
    }
    return token.toString();
  }

  private static void report(Path ready, Throwable fault) {
    fault.printStackTrace();
    Throwable root = fault;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("error", String.valueOf(root.getMessage()));
    facts.put("exception", root.getClass().getName());
    try {
      PrivateFile.write(ready, Json.write(facts));
    } catch (IOException unwritable) {
      unwritable.printStackTrace();
    }
  }

  private static void awaitEndOfInput() {
    try {
      InputStream input = System.in;
      while (input.read() >= 0) {
        // The parent never writes; the end of the stream is its end.
      }
    } catch (IOException closed) {
      // Same meaning.
    }
    Runtime.getRuntime().halt(0);
  }
}
