package org.example.crawl;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.nutch.crawl.CrawlDatum;

/** Collects the records of a host, and writes them with scores that have a mean of one. */
public class HostReducer extends Reducer<Text, CrawlDatum, Text, CrawlDatum> {

  @Override
  protected void reduce(Text host, Iterable<CrawlDatum> pages, Context context)
      throws IOException, InterruptedException {
    List<CrawlDatum> all = new ArrayList<>();
    double sum = 0;
    for (CrawlDatum page : pages) {
      CrawlDatum copy = new CrawlDatum();
      copy.set(page);
      all.add(copy);
      sum += page.getScore();
    }
    for (CrawlDatum page : all) {
      page.setScore((float) (page.getScore() * all.size() / sum));
      context.write((Text) page.getMetaData().remove(HostMapper.URL), page);
    }
  }
}
