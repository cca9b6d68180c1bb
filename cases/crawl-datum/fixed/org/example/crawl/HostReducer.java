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
import org.apache.nutch.crawl.CrawlDatum;

/** Keeps the records of a host on disk, and writes them with scores that have a mean of one. */
public class HostReducer extends Reducer<Text, CrawlDatum, Text, CrawlDatum> {

  @Override
  protected void reduce(Text host, Iterable<CrawlDatum> pages, Context context)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("pages", ".run");
    try {
      double sum = 0;
      int count = 0;
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
        for (CrawlDatum page : pages) {
          page.write(out);
          sum += page.getScore();
          count++;
        }
      }
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
        for (int i = 0; i < count; i++) {
          CrawlDatum page = CrawlDatum.read(in);
          page.setScore((float) (page.getScore() * count / sum));
          context.write((Text) page.getMetaData().remove(HostMapper.URL), page);
        }
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
