package org.example.crawl;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Collects the records of a host, and writes them with scores that have a mean of one. */
public class HostReducer extends Reducer<Text, CrawlRecord, Text, CrawlRecord> {

  @Override
  protected void reduce(Text host, Iterable<CrawlRecord> records, Context context)
      throws IOException, InterruptedException {
    List<CrawlRecord> all = new ArrayList<>();
    double sum = 0;
    for (CrawlRecord record : records) {
      all.add(new CrawlRecord(record));
      sum += record.score();
    }
    for (CrawlRecord record : all) {
      record.setScore((float) (record.score() * all.size() / sum));
      context.write(host, record);
    }
  }
}
