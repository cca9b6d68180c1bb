package com.acme.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Builds a list of tokens for each record; has a constant model beside it. */
public class RecordMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  static final class Token {
    final String word;
    final long[] features = new long[12];

    Token(String word) {
      this.word = word;
    }
  }

  private final byte[][] model = new byte[8][512 * 1024];

  @Override
  protected void map(LongWritable key, Text value, Context context)
      throws IOException, InterruptedException {
    List<Token> tokens = tokenize(value.toString());
    context.write(new Text("tokens"), new IntWritable(tokens.size() + model.length));
  }

  private static List<Token> tokenize(String line) {
    List<Token> tokens = new ArrayList<>();
    for (String word : line.split(" ")) {
      tokens.add(new Token(word));
    }
    return tokens;
  }
}
