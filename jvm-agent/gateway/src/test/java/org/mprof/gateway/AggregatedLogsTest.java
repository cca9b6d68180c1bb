package org.mprof.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class AggregatedLogsTest {

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
