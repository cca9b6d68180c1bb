package org.example.crawl;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the record of a page under its host. */
public class HostMapper extends Mapper<Text, Text, Text, CrawlRecord> {

  private final Text host = new Text();
  private final CrawlRecord record = new CrawlRecord();

  @Override
  protected void map(Text url, Text line, Context context)
      throws IOException, InterruptedException {
    host.set(URI.create(url.toString()).getHost());
    record.parse(url.toString(), line.toString().split("\t"));
    context.write(host, record);
  }
}
