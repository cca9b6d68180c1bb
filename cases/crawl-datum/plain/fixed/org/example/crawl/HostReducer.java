package org.example.crawl;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Keeps the records of a host on disk, and writes them with scores that have a mean of one. */
public class HostReducer extends Reducer<Text, CrawlRecord, Text, CrawlRecord> {

  @Override
  protected void reduce(Text host, Iterable<CrawlRecord> records, Context context)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("records", ".run");
    try {
      double sum = 0;
      int count = 0;
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
        for (CrawlRecord record : records) {
          record.write(out);
          sum += record.score();
          count++;
        }
      }
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
        CrawlRecord record = new CrawlRecord();
        for (int i = 0; i < count; i++) {
          record.readFields(in);
          record.setScore((float) (record.score() * count / sum));
          context.write(host, record);
        }
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
