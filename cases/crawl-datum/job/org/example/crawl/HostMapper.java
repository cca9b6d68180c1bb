package org.example.crawl;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.io.MapWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.nutch.crawl.CrawlDatum;

/** Emits the record of a page under its host, with the address of the page among its metadata. */
public class HostMapper extends Mapper<Text, Text, Text, CrawlDatum> {

  /** Name of the entry with the address of the page. */
  static final Text URL = new Text("_url_");

  private static final int DAY_SECONDS = 24 * 60 * 60;

  private final Text host = new Text();

  @Override
  protected void map(Text url, Text line, Context context)
      throws IOException, InterruptedException {
    String[] fields = line.toString().split("\t");
    CrawlDatum page = new CrawlDatum(Integer.parseInt(fields[0]), DAY_SECONDS);
    page.setFetchTime(Long.parseLong(fields[1]));
    page.setScore(Float.parseFloat(fields[2]));
    MapWritable metadata = page.getMetaData();
    metadata.put(URL, url);
    for (String entry : fields[3].split(";")) {
      int end = entry.indexOf('=');
      metadata.put(new Text(entry.substring(0, end)), new Text(entry.substring(end + 1)));
    }
    host.set(URI.create(url.toString()).getHost());
    context.write(host, page);
  }
}
