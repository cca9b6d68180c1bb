package org.mprof.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.mprof.agent.Digest;

/** The dataflow of a word count, counted anew with plain maps. */
final class Brute {
  /** Number of words of each partition and word. */
  final List<Map<String, Integer>> partitions = new ArrayList<>();

  Brute(int reducers) {
    for (int i = 0; i < reducers; i++) {
      partitions.add(new TreeMap<>());
    }
  }

  static Brute of(int reducers, String... lines) {
    Brute brute = new Brute(reducers);
    for (String line : lines) {
      for (String word : line.split(" ")) {
        brute.add(word, 1);
      }
    }
    return brute;
  }

  void add(String word, int times) {
    partitions.get(partition(word, partitions.size())).merge(word, times, Integer::sum);
  }

  /** As HashPartitioner does with {@code Text.hashCode}: WritableComparator.hashBytes. */
  static int partition(String word, int reducers) {
    int hash = 1;
    for (byte b : word.getBytes(StandardCharsets.UTF_8)) {
      hash = 31 * hash + b;
    }
    return (hash & Integer.MAX_VALUE) % reducers;
  }

  long records(int partition) {
    return partitions.get(partition).values().stream().mapToLong(n -> n).sum();
  }

  long keys(int partition) {
    return partitions.get(partition).size();
  }

  /** Key and value as serialised: a length byte and the letters, and an IntWritable. */
  static long recordBytes(String word) {
    return 1 + word.length() + 4;
  }

  /** Digest of the key as it stands in events. */
  static String keyDigest(String word) {
    return hex(key(word));
  }

  /** The same of a record with this number as its value. */
  static String recordDigest(String word, int value) {
    byte[] number = {0, 0, 0, (byte) value};
    return hex(Digest.record(key(word), Digest.of(number, 0, number.length)));
  }

  private static long key(String word) {
    byte[] letters = word.getBytes(StandardCharsets.UTF_8);
    byte[] text = new byte[1 + letters.length];
    text[0] = (byte) letters.length;
    System.arraycopy(letters, 0, text, 1, letters.length);
    return Digest.of(text, 0, text.length);
  }

  private static String hex(long digest) {
    return String.format("%016x", digest);
  }

  /** Bytes of keys and values. */
  long bytes(int partition) {
    long sum = 0;
    for (Map.Entry<String, Integer> each : partitions.get(partition).entrySet()) {
      sum += each.getValue() * recordBytes(each.getKey());
    }
    return sum;
  }

  /** IFile: two lengths of one byte before each record, two bytes at the end. */
  long rawBytes(int partition) {
    return bytes(partition) + 2 * records(partition) + 2;
  }

  Map<String, Integer> groups(int partition) {
    return new LinkedHashMap<>(partitions.get(partition));
  }

  /** Lines of words whose frequencies fall steeply. */
  static String[] lines(long seed, int lines, int words, int vocabulary) {
    Random random = new Random(seed);
    String[] all = new String[lines];
    for (int i = 0; i < lines; i++) {
      StringBuilder line = new StringBuilder();
      for (int j = 0; j < words; j++) {
        int rank = (int) Math.floor(vocabulary * Math.pow(random.nextDouble(), 3));
        line.append(j == 0 ? "" : " ").append("w").append(rank);
      }
      all[i] = line.toString();
    }
    return all;
  }
}
