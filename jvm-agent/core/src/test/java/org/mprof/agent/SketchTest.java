package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SketchTest {
  @TempDir Path folder;

  @Test
  void bucketIsTheOneTheDocumentDefines() {
    // Against logarithms, away from bucket bounds where doubles cannot decide.
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      long value = random.nextLong() >>> 1 + random.nextInt(62);
      double exact = Math.log(value) / Math.log(1.02);
      if (value >= 1 && Math.abs(exact - Math.rint(exact)) > 1e-6) {
        assertEquals((int) Math.ceil(exact), Sketch.bucket(value), "bucket of " + value);
      }
    }
    assertEquals(0, Sketch.bucket(1));
    assertEquals(36, Sketch.bucket(2));
  }

  @Test
  void estimateOfEverySizeIsAtMostOnePerCentOff() {
    Random random = new Random(2);
    for (int i = 0; i < 200_000; i++) {
      long value = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
      double estimate = 2 * Math.pow(1.02, Sketch.bucket(value)) / 2.02;
      assertTrue(Math.abs(estimate - value) <= value * 0.0100001, value + " as " + estimate);
    }
  }

  /** Against every value: bucket by bucket, and the exact members. */
  @Test
  void whatIsWrittenIsWhatWasAdded() throws IOException {
    Random random = new Random(3);
    for (double scale : new double[] {0.5, 2, 6, 12, 30}) {
      Sketch sketch = new Sketch();
      Sketch other = new Sketch();
      long[] values = new long[20_001];
      Map<Integer, Long> buckets = new TreeMap<>();
      for (int i = 0; i < values.length; i++) {
        values[i] = (long) Math.exp(Math.min(42, Math.abs(random.nextGaussian()) * scale)) - 1;
        (i % 3 == 0 ? other : sketch).add(values[i]);
        sketch.add(Long.MAX_VALUE, 0);
        if (values[i] > 0) {
          buckets.merge(Sketch.bucket(values[i]), 1L, Long::sum);
        }
      }
      sketch.addAll(other);
      String event = written(sketch);
      String expected = buckets.toString().replace('=', ',').replace(" ", "");
      expected = expected.replaceAll("(\\d+,\\d+)", "[$1]").replace('{', '[').replace('}', ']');
      long zeros = Arrays.stream(values).filter(value -> value == 0).count();
      LongSummaryStatistics exact = Arrays.stream(values).summaryStatistics();
      String members =
          "\"s\":{\"gamma\":1.02,\"zero\":%d,\"buckets\":%s,\"min\":%d,\"max\":%d,\"sum\":%d,"
              + "\"count\":%d}";
      assertTrue(
          event.contains(
              String.format(
                  Locale.ROOT,
                  members,
                  zeros,
                  expected,
                  exact.getMin(),
                  exact.getMax(),
                  exact.getSum(),
                  exact.getCount())),
          event);
    }
  }

  @Test
  void unknownIsNotAdded() throws IOException {
    Sketch sketch = new Sketch();
    sketch.add(Position.UNKNOWN);
    sketch.add(Long.MIN_VALUE);
    assertFalse(written(sketch).contains("\"s\""));
    sketch.add(0);
    assertTrue(written(sketch).contains("\"zero\":1,\"buckets\":[],\"min\":0,\"max\":0,"));
    sketch.add(Long.MAX_VALUE);
    assertTrue(written(sketch).contains("\"max\":" + Long.MAX_VALUE + ","));
  }

  private String written(Sketch sketch) throws IOException {
    Path file = folder.resolve("events.jsonl");
    Files.deleteIfExists(file);
    Events.open(file.toFile(), 1 << 20);
    try {
      EventLine line = Events.line("test");
      sketch.writeTo(line, "s");
      line.write();
    } finally {
      Events.close();
    }
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
