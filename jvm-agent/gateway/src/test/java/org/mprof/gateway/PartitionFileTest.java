package org.mprof.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.tools.ToolProvider;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionFileTest {
  @TempDir Path folder;

  /** Negative numbers too: their bytes do not sort as the numbers do. */
  @Test
  void hadoopsOwnPartitionerReadsTheFileAndEveryPartitionGetsItsShare() throws Exception {
    Random random = new Random(2);
    List<Long> keys = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      keys.add((long) (random.nextGaussian() * 1e6));
    }
    Collections.shuffle(keys, random);
    check(keys, LongWritable.Comparator.class);
    // A job that sorts the other way round.
    check(keys, LongWritable.DecreasingComparator.class);
  }

  private void check(List<Long> keys, Class<? extends org.apache.hadoop.io.RawComparator> order)
      throws Exception {
    Configuration conf = new Configuration();
    conf.setClass("mapreduce.job.output.key.comparator.class", order, Object.class);
    conf.setClass("mapreduce.map.output.key.class", LongWritable.class, Object.class);
    Path target = folder.resolve(order.getSimpleName());
    Map<String, Object> told = write(conf, keys, 5, target, "");

    Job job = Job.getInstance(conf);
    job.setNumReduceTasks(5);
    TotalOrderPartitioner.setPartitionFile(
        job.getConfiguration(), new org.apache.hadoop.fs.Path(target.toUri()));
    TotalOrderPartitioner<LongWritable, NullWritable> partitioner = new TotalOrderPartitioner<>();
    partitioner.setConf(job.getConfiguration());
    Long[] sizes = {0L, 0L, 0L, 0L, 0L};
    for (long key : keys) {
      sizes[partitioner.getPartition(new LongWritable(key), NullWritable.get(), 5)] += 10;
    }
    assertEquals(Arrays.asList(sizes), told.get("records"));
    for (long size : sizes) {
      assertTrue(Math.abs(size - 1200) <= 20, Arrays.toString(sizes));
    }
  }

  /** As of a user: known to the job's jar alone, and with an order of its own. */
  @Test
  void aKeyClassIsTakenFromTheJarsOfTheJob() throws Exception {
    Path source = folder.resolve("Backwards.java");
    Files.write(source, Arrays.asList(BACKWARDS), StandardCharsets.UTF_8);
    Path classes = Files.createDirectory(folder.resolve("classes"));
    String path = System.getProperty("java.class.path");
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", path, "-d", classes.toString(), source.toString());
    assertEquals(0, failed);
    Configuration conf = new Configuration();
    conf.set("mapreduce.map.output.key.class", "Backwards");
    Path target = folder.resolve("backwards");
    Map<String, Object> told =
        write(conf, Arrays.asList(1L, 2L, 3L, 4L, 5L), 2, target, classes.toString());
    assertEquals("Backwards", told.get("key_class"));
    // 5, 4 and 3 come first; the cut is 2, as eight bytes.
    assertEquals(Arrays.asList(30L, 20L), told.get("records"));
    String file = new String(Files.readAllBytes(target), StandardCharsets.ISO_8859_1);
    assertTrue(file.endsWith("\0\0\0\0\0\0\0\2"), file);
  }

  private static final String[] BACKWARDS = {
    "public class Backwards implements org.apache.hadoop.io.WritableComparable<Backwards> {",
    "  private long n;",
    "  public void write(java.io.DataOutput out) throws java.io.IOException {",
    "    out.writeLong(n);",
    "  }",
    "  public void readFields(java.io.DataInput in) throws java.io.IOException {",
    "    n = in.readLong();",
    "  }",
    "  public int compareTo(Backwards other) {",
    "    return Long.compare(other.n, n);",
    "  }",
    "}",
  };

  @Test
  void aKeyLargerThanAPartitionsShareStandsAlone() {
    List<PartitionFile.Weighted> keys = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      keys.add(new PartitionFile.Weighted(new byte[] {(byte) i}, i == 4 ? 1000 : 10));
    }
    List<Integer> cuts = PartitionFile.cuts(keys, 3);
    assertEquals(Arrays.asList(4, 5), cuts);
    assertEquals(Arrays.asList(40L, 1000L, 50L), PartitionFile.sizes(keys, cuts));
  }

  @Test
  void everyPartitionGetsAKeyHoweverFewThereAre() {
    List<PartitionFile.Weighted> keys = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      keys.add(new PartitionFile.Weighted(new byte[] {(byte) i}, i == 3 ? 1000 : 1));
    }
    assertEquals(Arrays.asList(1, 2, 3), PartitionFile.cuts(keys, 4));
    assertThrows(IllegalArgumentException.class, () -> PartitionFile.cuts(keys, 5));
  }

  private Map<String, Object> write(
      Configuration conf, List<Long> keys, int partitions, Path to, String jars)
      throws IOException {
    Path jobXml = folder.resolve("job.xml");
    try (OutputStream out = Files.newOutputStream(jobXml)) {
      conf.writeXml(out);
    }
    StringBuilder lines = new StringBuilder();
    for (long key : keys) {
      DataOutputBuffer bytes = new DataOutputBuffer();
      new LongWritable(key).write(bytes);
      byte[] copy = Arrays.copyOf(bytes.getData(), bytes.getLength());
      lines.append(Base64.getEncoder().encodeToString(copy)).append("\t10\n");
    }
    Path histogram = folder.resolve("histogram");
    Files.write(histogram, lines.toString().getBytes(StandardCharsets.US_ASCII));
    return PartitionFile.write(
        new Configuration(),
        jobXml.toString(),
        jars,
        histogram.toString(),
        to.toString(),
        partitions);
  }
}
