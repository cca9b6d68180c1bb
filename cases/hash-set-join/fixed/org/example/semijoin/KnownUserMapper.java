package org.example.semijoin;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.util.bloom.BloomFilter;
import org.apache.hadoop.util.bloom.Key;
import org.apache.hadoop.util.hash.Hash;

/** Passes lines of the users in a list, held as a Bloom filter; a few others pass as well. */
public class KnownUserMapper extends Mapper<LongWritable, Text, Text, IntWritable> {

  private static final IntWritable ONE = new IntWritable(1);
  private static final int BITS = 1 << 25;
  private static final int HASHES = 7;

  private final BloomFilter users = new BloomFilter(BITS, HASHES, Hash.MURMUR_HASH);
  private final Text user = new Text();

  @Override
  protected void setup(Context context) throws IOException {
    try (BufferedReader names =
        Files.newBufferedReader(Paths.get("users.txt"), StandardCharsets.UTF_8)) {
      String name;
      while ((name = names.readLine()) != null) {
        users.add(new Key(name.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String name = line.toString().substring(0, line.find("\t"));
    if (users.membershipTest(new Key(name.getBytes(StandardCharsets.UTF_8)))) {
      user.set(name);
      context.write(user, ONE);
    }
  }
}
