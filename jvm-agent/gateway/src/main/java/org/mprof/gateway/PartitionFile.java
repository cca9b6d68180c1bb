package org.mprof.gateway;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The file that {@code TotalOrderPartitioner} reads: the first key of each partition but the first,
 * in the order of the job's own comparator, as keys of a sequence file without values.
 *
 * <p>Made from a histogram of the keys. Key class and comparator are the job's, loaded from its
 * jars; nothing else of the job is.
 */
final class PartitionFile {
  private PartitionFile() {}

  /** A key, and the records since the one before it, its own among them. */
  static final class Weighted {
    final byte[] key;
    final long records;

    Weighted(byte[] key, long records) {
      this.key = key;
      this.records = records;
    }
  }

  /**
   * Writes the file.
   *
   * @param base what the cluster is configured with
   * @param jobXml the job's configuration, a local file
   * @param jars its jars, local files, separated as class paths are
   * @param histogram a local file of lines, each a key in base64, a tab and a number of records
   * @param target where to write, a local file
   * @param partitions how many
   * @return {@code records}, those that each partition would get; {@code key_class}
   * @throws IllegalArgumentException if the keys cannot be cut into so many partitions
   */
  static Map<String, Object> write(
      Configuration base,
      String jobXml,
      String jars,
      String histogram,
      String target,
      int partitions)
      throws IOException {
    JobConf job = new JobConf(base);
    job.addResource(new Path(new File(jobXml).toURI()));
    try (URLClassLoader loader =
        new URLClassLoader(urls(jars), PartitionFile.class.getClassLoader())) {
      job.setClassLoader(loader);
      Class<?> keyClass = job.getMapOutputKeyClass();
      if (!WritableComparable.class.isAssignableFrom(keyClass)) {
        throw new IllegalArgumentException(
            "keys of " + keyClass.getName() + " are no WritableComparable");
      }
      List<Weighted> keys = merged(read(histogram), job.getOutputKeyComparator());
      List<Integer> cuts = cuts(keys, partitions);
      Path file = new Path(new File(target).toURI());
      try (SequenceFile.Writer writer =
          SequenceFile.createWriter(
              job,
              SequenceFile.Writer.file(file),
              SequenceFile.Writer.keyClass(keyClass),
              SequenceFile.Writer.valueClass(NullWritable.class),
              SequenceFile.Writer.compression(SequenceFile.CompressionType.NONE))) {
        for (int cut : cuts) {
          writer.append(readKey(keys.get(cut).key, keyClass, job), NullWritable.get());
        }
      }
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("key_class", keyClass.getName());
      answer.put("records", sizes(keys, cuts));
      return answer;
    }
  }

  /** In order, equal keys as one. */
  static List<Weighted> merged(List<Weighted> keys, RawComparator<?> comparator) {
    List<Weighted> sorted = new ArrayList<>(keys);
    sorted.sort((a, b) -> compare(comparator, a.key, b.key));
    List<Weighted> merged = new ArrayList<>();
    for (Weighted each : sorted) {
      int last = merged.size() - 1;
      if (last >= 0 && compare(comparator, merged.get(last).key, each.key) == 0) {
        merged.set(last, new Weighted(each.key, merged.get(last).records + each.records));
      } else {
        merged.add(each);
      }
    }
    return merged;
  }

  /**
   * Indices of the first key of each partition but the first, so that each gets its share of what
   * the ones before it have left.
   */
  static List<Integer> cuts(List<Weighted> keys, int partitions) {
    if (keys.size() < partitions) {
      throw new IllegalArgumentException(
          keys.size() + " keys cannot be cut into " + partitions + " partitions");
    }
    long left = records(keys);
    List<Integer> cuts = new ArrayList<>();
    long size = 0;
    for (int i = 0; i < keys.size() && cuts.size() < partitions - 1; i++) {
      long records = keys.get(i).records;
      int partitionsLeft = partitions - cuts.size();
      // The key opens the next partition where more than half of it would be too much here.
      boolean full = size > 0 && size + records / 2.0 > (double) left / partitionsLeft;
      boolean mustCut = size > 0 && keys.size() - i <= partitionsLeft - 1;
      if (full || mustCut) {
        cuts.add(i);
        left -= size;
        size = 0;
      }
      size += records;
    }
    return cuts;
  }

  static List<Long> sizes(List<Weighted> keys, List<Integer> cuts) {
    List<Long> sizes = new ArrayList<>();
    int from = 0;
    for (int cut : cuts) {
      sizes.add(records(keys.subList(from, cut)));
      from = cut;
    }
    sizes.add(records(keys.subList(from, keys.size())));
    return sizes;
  }

  private static long records(List<Weighted> keys) {
    return keys.stream().mapToLong(each -> each.records).sum();
  }

  private static int compare(RawComparator<?> comparator, byte[] a, byte[] b) {
    return comparator.compare(a, 0, a.length, b, 0, b.length);
  }

  private static Writable readKey(byte[] bytes, Class<?> keyClass, Configuration job)
      throws IOException {
    Writable key = (Writable) ReflectionUtils.newInstance(keyClass, job);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(bytes, bytes.length);
    key.readFields(in);
    return key;
  }

  private static List<Weighted> read(String histogram) throws IOException {
    List<Weighted> keys = new ArrayList<>();
    try (BufferedReader reader =
        Files.newBufferedReader(new File(histogram).toPath(), StandardCharsets.US_ASCII)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        int tab = line.indexOf('\t');
        byte[] key = Base64.getDecoder().decode(line.substring(0, tab));
        keys.add(new Weighted(key, Long.parseLong(line.substring(tab + 1))));
      }
    }
    return keys;
  }

  private static URL[] urls(String jars) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String jar : jars.split(File.pathSeparator)) {
      if (!jar.isEmpty()) {
        urls.add(new File(jar).toURI().toURL());
      }
    }
    return urls.toArray(new URL[0]);
  }
}
