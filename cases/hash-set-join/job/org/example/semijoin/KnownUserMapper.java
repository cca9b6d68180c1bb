package org.example.semijoin;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Passes "user TAB event" lines of the users in a list that setup() reads. */
public class KnownUserMapper extends Mapper<LongWritable, Text, Text, IntWritable> {

  private static final IntWritable ONE = new IntWritable(1);

  private final Set<String> users = new HashSet<>();
  private final Text user = new Text();

  @Override
  protected void setup(Context context) throws IOException {
    try (BufferedReader names =
        Files.newBufferedReader(Paths.get("users.txt"), StandardCharsets.UTF_8)) {
      String name;
      while ((name = names.readLine()) != null) {
        users.add(name);
      }
    }
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String name = line.toString().substring(0, line.find("\t"));
    if (users.contains(name)) {
      user.set(name);
      context.write(user, ONE);
    }
  }
}
