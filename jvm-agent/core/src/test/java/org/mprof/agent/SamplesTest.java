package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The samples in {@code docs/reference/samples} are what this code writes; the tests of the Python
 * side read the same files. {@code -Dsamples.write=true} writes them anew.
 */
class SamplesTest {
  private static final Path SAMPLES = Paths.get("../../docs/reference/samples");
  private static final String ATTEMPT = "attempt_1763712000000_0007_r_000001_0";

  @TempDir Path folder;

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void positionSampleIsWhatTheAgentWrites() throws IOException {
    Path file = folder.resolve("position.bin");
    ByteBuffer buffer = PositionFile.map(file, ATTEMPT);
    for (Object[] value : positionValues()) {
      buffer.putLong(PositionFile.SLOTS_AT + 8 * (int) value[0], (long) value[1]);
    }
    if (Boolean.getBoolean("samples.write")) {
      Files.copy(
          file, SAMPLES.resolve("position.bin"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      Files.write(SAMPLES.resolve("position.json"), json(buffer).getBytes(StandardCharsets.UTF_8));
    }
    assertArrayEquals(
        Files.readAllBytes(SAMPLES.resolve("position.bin")), Files.readAllBytes(file));
  }

  @Test
  void positionSampleHasTheDocumentedLayout() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLES.resolve("position.bin"));
    ByteBuffer sample = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    String values =
        new String(Files.readAllBytes(SAMPLES.resolve("position.json")), StandardCharsets.UTF_8);
    assertEquals(512, bytes.length);
    assertEquals("MPROFPOS", new String(bytes, 0, 8, StandardCharsets.US_ASCII));
    assertEquals(1, sample.getInt(8));
    assertEquals(40, sample.getInt(12));
    assertEquals(ATTEMPT, new String(bytes, 384, 128, StandardCharsets.US_ASCII).trim());
    Matcher slot = Pattern.compile("\"(\\w+)\": (-?\\d+)").matcher(values);
    int slots = 0;
    while (slot.find()) {
      if (!slot.group(1).equals("version")) {
        long stored = sample.getLong(64 + 8 * slots);
        assertEquals(Long.parseLong(slot.group(2)), stored, slot.group(1));
        slots++;
      }
    }
    assertEquals(40, slots);
  }

  @Test
  void eventSampleIsWhatTheAgentWrites() throws IOException {
    Path file = folder.resolve("events.jsonl");
    Events.open(file.toFile(), 1 << 20);
    writeEvents();
    if (Boolean.getBoolean("samples.write")) {
      Files.copy(
          file, SAMPLES.resolve("events.jsonl"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
    assertEquals(untimed(SAMPLES.resolve("events.jsonl")), untimed(file));
  }

  @Test
  void settingsSampleIsUnderstoodWhole() throws IOException {
    String line = text("agent-settings.txt").trim();
    StringBuilder complaints = new StringBuilder();
    Settings settings = Settings.parse(line, complaints::append);
    assertEquals(Mode.PROFILE, settings.mode());
    assertEquals("mprof.plan", settings.plan());
    assertEquals(5, settings.copySeconds());
    assertTrue(settings.oomDump());
    assertEquals(80, settings.diskPercent());
    assertEquals(1048576, settings.eventsBytes());
    assertEquals(3, settings.histograms());
    assertEquals(70, settings.histogramPercent());
    assertEquals(2, settings.histogramShare());
    assertEquals(false, settings.keysAsText());
    assertEquals(2, settings.restSeconds());
    assertEquals("1f0c", settings.run());
    assertEquals("", complaints.toString());
  }

  @Test
  void planSampleIsUnderstoodWhole() throws IOException {
    Files.write(
        job(),
        ("<configuration><property><name>mapreduce.job.map.class</name>"
                + "<value>org.example.SecondStep$TokenMapper</value></property></configuration>")
            .getBytes(StandardCharsets.UTF_8));
    StringBuilder complaints = new StringBuilder();
    Plan map = plan("m_000003", complaints);
    assertEquals(Mode.PROFILE, map.mode());
    assertArrayEquals(
        new long[] {1, 1885, 3769, 5653, 7537, 9425, 9651}, map.beforeRecord().ordinals);
    assertFalse(map.beforeRecord().isHistogram(5653));
    assertTrue(map.beforeRecord().isHistogram(9651));
    assertEquals(8, map.histograms());
    assertEquals(8, map.points());
    Plan reduce = plan("r_000001", complaints);
    assertArrayEquals(new long[] {1, 3, 6, 9, 12, 15, 16}, reduce.beforeGroup().ordinals);
    assertEquals(16, reduce.inGroup().get(0).group);
    assertEquals(779551, reduce.inGroup().get(0).points.ordinals[6]);
    Plan verify = plan("r_000002", complaints);
    assertEquals(Mode.VERIFY, verify.mode());
    assertEquals("reduce", verify.verifyPlace());
    assertEquals(0x00f3a1b2c3d4e5f6L, verify.verifyGroup());
    assertEquals(0x8123456789abcdefL, verify.verifyDigest());
    assertEquals(104857600, verify.verifyLive());
    assertEquals("least", verify.verifyLiveIs());
    assertEquals(8, verify.verifyWarmUp());
    assertEquals(5, verify.verifyHoldSeconds());
    Plan counting = plan("r_000003", complaints);
    assertEquals(Mode.VERIFY, counting.mode());
    assertEquals(Position.UNKNOWN, counting.verifyDigest());
    assertEquals(Position.UNKNOWN, counting.verifyLive());
    assertEquals(60, counting.verifyHoldSeconds());
    assertEquals(Mode.WATCH, plan("m_000000", complaints).mode());
    assertEquals("", complaints.toString());
  }

  private Path job() {
    return folder.resolve(JobFile.NAME);
  }

  private Plan plan(String task, StringBuilder complaints) {
    return Plan.read(
        SAMPLES.resolve("mprof.plan").toFile(),
        task,
        Mode.WATCH,
        job().toFile(),
        complaints::append);
  }

  // ---- the sample position: a reducer that died at the last record of its largest group
  // ----------

  private static Object[][] positionValues() {
    return new Object[][] {
      {Position.PHASE, (long) Phase.REDUCE},
      {Position.UPDATED_MS, 1763712345678L},
      {Position.RECORDS_IN, 1559102L},
      {Position.BYTES_IN, 88123456L},
      {Position.RECORD_BYTES, 57L},
      {Position.RECORDS_OUT, 15L},
      {Position.GROUP, 16L},
      {Position.RECORD_IN_GROUP, 779551L},
      {Position.GROUP_BYTES, 44061728L},
      {Position.GROUP_DIGEST, 0x00f3a1b2c3d4e5f6L},
      {Position.RECORD_DIGEST, 0x8123456789abcdefL},
      {Position.PARTITION, 1L},
      {Position.PROGRESS_PPM, 987654L},
      {Position.SHUFFLE_LIMIT, 146800640L},
      {Position.SHUFFLE_USED, 0L},
      {Position.SHUFFLE_IN_FLIGHT, 0L},
      {Position.SHUFFLE_MERGING, 0L},
      {Position.FETCHED_SEGMENTS, 42L},
      {Position.FETCHED_BYTES, 88123456L},
      {Position.REDUCE_TOTAL, 1559102L},
      {Position.PROBES_DONE, 7L},
    };
  }

  private static String json(ByteBuffer buffer) {
    StringBuilder text = new StringBuilder("{\n  \"version\": 1,\n  \"attempt\": \"");
    text.append(ATTEMPT).append("\",\n  \"slots\": {\n");
    for (int slot = 0; slot < Position.SLOTS; slot++) {
      text.append("    \"").append(PositionFile.slotName(slot)).append("\": ");
      text.append(buffer.getLong(PositionFile.SLOTS_AT + 8 * slot));
      text.append(slot == Position.SLOTS - 1 ? "\n" : ",\n");
    }
    return text.append("  }\n}\n").toString();
  }

  // ---- the sample log: one line of every type
  // ----------------------------------------------------

  private static void writeEvents() {
    Events.line("attach")
        .put("agent", "0.1.0")
        .put("attempt", ATTEMPT)
        .put("task_type", "reduce")
        .put("index", 1)
        .put("attempt_number", 0)
        .put("mode", "profile")
        .put("run", "1f0c")
        .put("pid", 4711)
        .put("host", "node1")
        .put("java_version", "17.0.15")
        .put("vm", "OpenJDK 64-Bit Server VM")
        .put("heap_max", 209715200)
        .putStrings("collectors", "Copy", "MarkSweepCompact")
        .beginList("pools")
        .beginObject()
        .put("name", "Tenured Gen")
        .put("max", 139853824)
        .endObject()
        .endList()
        .beginObject("oom_dump")
        .put("armed", true)
        .endObject()
        .put("patches", "hadoop-2.9")
        .put("hadoop_version", "3.4.3")
        .write();
    position("phase").put("phase", "shuffle").put("edge", "begin").write();
    Events.line("split")
        .put("path", "file:/in/part-0")
        .put("start", 0)
        .put("length", 134217728)
        .put("class", "org.apache.hadoop.mapreduce.lib.input.FileSplit")
        .write();
    Events.line("open").put("path", "file:/cache/model").put("length", 73400320).write();
    Events.line("map_buffer")
        .put("edge", "request")
        .put("bytes", 104857600)
        .put("spill_percent", 0.8)
        .write();
    Events.line("spill")
        .put("spill", 0)
        .put("edge", "end")
        .put("records_in", 9651)
        .put("bytes_in", 83886080)
        .put("reason", "full")
        .beginObject("partitions")
        .put("records", new long[] {4000, 5651})
        .put("keys", new long[] {17, 16})
        .put("raw_bytes", new long[] {40000000, 43886080})
        .put("compressed_bytes", new long[] {40000000, 43886080})
        .endObject()
        .write();
    Events.line("map_output")
        .beginObject("partitions")
        .put("records", new long[] {4000, 5651})
        .put("keys", new long[] {2, 2})
        .put("raw_bytes", new long[] {40000000, 43886080})
        .put("compressed_bytes", new long[] {40000000, 43886080})
        .put("largest_key_records", new long[] {1200, 5600})
        .put("largest_key_bytes", new long[] {12000000, 43500000})
        .digests("largest_key_digest", new long[] {0x00f3a1b2c3d4e5f6L, 0x8123456789abcdefL})
        .put("every_key_records", new long[] {1200, 2800, 5600, 51}, 4)
        .put("every_key_bytes", new long[] {12000000, 11900000, 43500000, 386080}, 4)
        .digests(
            "every_key_digest", new long[] {0x00f3a1b2c3d4e5f6L, 7, 0x8123456789abcdefL, 8, -1}, 4)
        .endObject()
        .put("spills", 1)
        .put("combined", false)
        .write();
    Events.line("merge_map")
        .put("edge", "begin")
        .put("segments", 3)
        .put("partition", 1)
        .put("combined", false)
        .write();
    Events.line("shuffle_limits")
        .put("memory_limit", 146800640)
        .put("merge_threshold", 96888422)
        .put("max_single_segment", 36700160)
        .put("fetchers", 5)
        .write();
    Events.line("fetch")
        .put("edge", "done")
        .put("map", "attempt_1763712000000_0007_m_000004_0")
        .put("raw_bytes", 2098177)
        .put("compressed_bytes", 2098177)
        .put("to", "memory")
        .put("used", 4196354)
        .put("thread", "fetcher#3")
        .write();
    Events.line("shuffle_merge")
        .put("kind", "memory")
        .put("edge", "end")
        .put("segments", 2)
        .putStrings(
            "maps",
            "attempt_1763712000000_0007_m_000004_0",
            "attempt_1763712000000_0007_m_000005_0")
        .put("raw_bytes", 4196354)
        .put("records_in", 74000)
        .put("records_out", 74000)
        .put("keys", 16)
        .put("combined", false)
        .write();
    Events.line("reduce_input")
        .put("memory_segments", 2)
        .put("memory_bytes", 4196354)
        .put("disk_segments", 1)
        .put("disk_bytes", 83927102)
        .put("records", 1559102)
        .write();
    GroupStatistics groups = new GroupStatistics("reduce");
    RecordStatistics records = new RecordStatistics("reduce");
    for (int g = 1; g <= 16; g++) {
      groups.begin(Digest.of(new byte[] {(byte) g}, 0, 1));
      for (int r = 1; r <= g * g; r++) {
        groups.record(10 * r);
        records.record(10 * r, g, Digest.of(new byte[] {(byte) g, (byte) r}, 0, 2));
      }
    }
    groups.write(false);
    records.write(false);
    position("memory")
        .put("collector", "MarkSweepCompact")
        .put("action", "end of major GC")
        .put("cause", "Allocation Failure")
        .put("major", true)
        .put("start", 81234)
        .put("end", 81678)
        .put("used_before", 139853000)
        .put("used_after", 101234567)
        .put("old_used_after", 101234567)
        .put("old_max", 139853824)
        .put("skipped", 3)
        .write();
    position("process")
        .put("resident", 263000064)
        .put("resident_peak", 264241152)
        .put("anonymous", 231735296)
        .put("of_files", 31264768)
        .put("virtual", 2836475904L)
        .put("threads", 31)
        .put("heap_used", 121234567)
        .put("heap_committed", 139853824)
        .put("direct", 8192)
        .put("direct_buffers", 1)
        .put("non_heap", 41234567)
        .write();
    position("crawl")
        .put("ms", 5043)
        .put("collecting_ms", 4790)
        .put("collections", 41)
        .put("used", 131234567)
        .write();
    position("histogram")
        .put("reason", "filling")
        .put("seconds", 0.56)
        .beginList("classes")
        .beginList()
        .element("java.util.HashMap$Node[]")
        .element(12)
        .element(33554432)
        .endList()
        .endList()
        .put("total_objects", 1234567)
        .put("total_bytes", 101234567)
        .write();
    position("dump")
        .put("file", "probe-in_group-16-129925.hprof")
        .put("reason", "probe")
        .put("point", "in_group")
        .put("ordinal", 129925)
        .put("group", 16)
        .put("seconds", 1.25)
        .put("bytes", 123456789)
        .write();
    because(
        Events.line("dump_removed").put("file", "probe-before_group-2.hprof"),
        Reason.of("thinned"));
    because(
        position("probe_skipped").put("point", "in_group").put("ordinal", 779551),
        Reason.of("disk_full", "percent", 80));
    EventLine failure =
        position("failure")
            .put("thread", "main")
            .put("place", "reduce")
            .put("class", "java.lang.OutOfMemoryError")
            .put("message", "Java heap space")
            .beginList("stack");
    failure.frame(new StackTraceElement("java.util.ArrayList", "grow", "ArrayList.java", 237));
    failure
        .frame(new StackTraceElement("Job$R", "reduce", "Job.java", 41))
        .endList()
        .beginList("causes")
        .endList()
        .beginObject("record")
        .put("ordinal", 779551)
        .put("bytes", 57)
        .digest("digest", 0x8123456789abcdefL)
        .endObject()
        .write();
    Events.line("verify")
        .put("step", "met")
        .put("ordinal", 17)
        .digest("digest", 0x8123456789abcdefL)
        .put("warm_up", 16)
        .write();
    Events.line("verify")
        .put("step", "room")
        .put("same_room", true)
        .put("target", 201326592)
        .put("live", 12582912)
        .put("ballast", 178913280)
        .put("target_is", "most")
        .put("capped", true)
        .write();
    EventLine room =
        Events.line("verify").put("step", "room").put("same_room", false).put("ballast", 0);
    Reason.of("live_not_known").putTo(room, "why").write();
    Events.line("verify")
        .put("step", "group_total")
        .put("records", 779600)
        .put("bytes", 44064521)
        .digest("digest", 0x00f3a1b2c3d4e5f6L)
        .put("whole", true)
        .put("end", true)
        .write();
    OtherGroups others = new OtherGroups();
    others.addAll(groups);
    EventLine rest = Events.line("rest").put("scope", "reduce").beginObject("group");
    new GroupTotal(779600, 44064521, 0x00f3a1b2c3d4e5f6L, true).writeTo(rest);
    rest.endObject();
    others.writeTo(rest, "others");
    rest.put("end", true).put("records", 1049).put("seconds", 0.125).write();
    Events.line("key_sample")
        .put("records", 30)
        .beginList("keys")
        .beginList()
        .element("AmFi")
        .element(12)
        .endList()
        .beginList()
        .element("A3pkeQ==")
        .element(18)
        .endList()
        .endList()
        .write();
    because(
        Events.line("copy").put("ok", false).put("what", "hdfs://nn/captures/1/"),
        Reason.error(new java.io.IOException("no \"space\" \u00e4\n")));
    Events.line("fault")
        .put("where", "hook")
        .put("what", "org.apache.hadoop.mapred.Task.done")
        .put("row", "org.apache.hadoop.mapred.Task.done ENTER -> a.Hooks.committing")
        .put("class", "java.io.IOException")
        .put("message", "gone")
        .write();
    because(
        Events.line("patch_missed").put("row", "org.apache.hadoop.mapred.Task.done ENTER"),
        Reason.of("no_method"));
    Events.line("loss").put("what", "events").put("count", 12).write();
    position("end").put("outcome", "failed").write();
  }

  private static void because(EventLine line, Reason why) {
    why.putTo(line, "why").write();
  }

  private static EventLine position(String type) {
    long[] slots = new long[Position.SLOTS];
    java.util.Arrays.fill(slots, Position.UNKNOWN);
    for (Object[] value : positionValues()) {
      slots[(int) value[0]] = (long) value[1];
    }
    return Events.line(type).at(slots, 0);
  }

  private static String untimed(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
        .replaceAll("\"t\":\\d+", "\"t\":0")
        .replaceAll("\"at\":\\{\"phase\":\"start\"[^}]*}", "\"at\":{}");
  }

  private static String text(String name) throws IOException {
    return new String(Files.readAllBytes(SAMPLES.resolve(name)), StandardCharsets.UTF_8);
  }
}
