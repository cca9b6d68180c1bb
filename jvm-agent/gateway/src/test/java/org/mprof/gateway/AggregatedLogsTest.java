package org.mprof.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AggregatedLogsTest {

  private static final String CONTAINER = "container_1700000000000_0001_01_000002";
  private static final String HEAD =
      "Container: container_1 on host_1\nLogAggregationType: AGGREGATED\n=====\nLogType:stdout\n";

  @Test
  void theBytesOfALogComeBackWithoutTheTextAroundThem() throws IOException {
    String log = HEAD + "LogLength:6\nLogContents:\nab\ncd\n\nEnd of LogType:stdout\n****\n\n";

    assertEquals("ab\ncd\n", bodies(log, 1000));
  }

  @Test
  void aLogThatContainsSuchTextItselfIsNotCutShort() throws IOException {
    String body = "LogLength:1\nLogContents:\nEnd of LogType:stdout\n";
    String log = HEAD + "LogLength:" + body.length() + "\nLogContents:\n" + body + "\nEnd of\n";

    assertEquals(body, bodies(log, 1000));
  }

  @Test
  void piecesOfALogThatWasAggregatedInTurnsFollowEachOther() throws IOException {
    String piece = HEAD + "LogLength:3\nLogContents:\nxyz\nEnd of LogType:stdout\n***\n\n";

    assertEquals("xyzxyz", bodies(piece + piece, 1000));
  }

  @Test
  void itDoesNotMatterHowTheBytesArrive() throws IOException {
    String log = HEAD + "LogLength:6\nLogContents:\nab\ncd\n\nEnd of LogType:stdout\n";

    for (int size = 1; size < log.length(); size++) {
      assertEquals("ab\ncd\n", bodies(log, size));
    }
  }

  @Test
  void anEmptyLogIsEmpty() throws IOException {
    assertEquals("", bodies(HEAD + "LogLength:0\nLogContents:\n\nEnd of LogType:stdout\n", 7));
  }

  @Test
  void logsThatAreNotThereAreNoneAndNoError(@TempDir File folder) throws IOException {
    AggregatedLogs logs = logsIn(folder.toURI() + "logs");

    assertEquals(0, logs.fetch(CONTAINER, "host:1", "me", folder));
  }

  @Test
  void logsThatMayNotBeReadAreAnErrorThatSaysSo(@TempDir File folder) {
    AggregatedLogs logs = logsIn("denied:///logs");

    AccessControlException denied =
        assertThrows(
            AccessControlException.class, () -> logs.fetch(CONTAINER, "host:1", "me", folder));

    assertTrue(denied.getMessage().startsWith("Permission denied: /logs/me/"));
  }

  private static AggregatedLogs logsIn(String uri) {
    Configuration configuration = new YarnConfiguration();
    configuration.setClass("fs.denied.impl", DeniedFiles.class, FileSystem.class);
    configuration.set(YarnConfiguration.NM_REMOTE_APP_LOG_DIR, uri);
    return new AggregatedLogs(configuration);
  }

  /** A file system without a folder that this user may list. */
  public static final class DeniedFiles extends RawLocalFileSystem {

    @Override
    public URI getUri() {
      return URI.create("denied:///");
    }

    @Override
    public FileStatus[] listStatus(Path folder) throws IOException {
      throw new AccessControlException("Permission denied: " + folder.toUri().getPath());
    }
  }

  private static String bodies(String log, int pieceSize) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = log.getBytes(UTF_8);
    try (AggregatedLogs.Bodies bodies = new AggregatedLogs.Bodies(out)) {
      for (int at = 0; at < bytes.length; at += pieceSize) {
        bodies.write(bytes, at, Math.min(pieceSize, bytes.length - at));
      }
    }
    return out.toString("UTF-8");
  }
}
