package org.example.crawl;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** What the crawler knows of one page: how and when it was fetched, its score, and metadata. */
public class CrawlRecord implements Writable {

  private String url = "";
  private int status;
  private long fetched;
  private float score;
  private Map<String, byte[]> metadata = new HashMap<>();

  public CrawlRecord() {}

  /** A copy that stays as it is when the other one is read into again. */
  CrawlRecord(CrawlRecord other) {
    url = other.url;
    status = other.status;
    fetched = other.fetched;
    score = other.score;
    metadata = new HashMap<>(other.metadata);
  }

  /** Takes the fields behind the url: status, time, score and "name=value;..." metadata. */
  void parse(String url, String[] fields) {
    this.url = url;
    status = Integer.parseInt(fields[0]);
    fetched = Long.parseLong(fields[1]);
    score = Float.parseFloat(fields[2]);
    metadata = new HashMap<>();
    for (String entry : fields[3].split(";")) {
      int end = entry.indexOf('=');
      byte[] value = entry.substring(end + 1).getBytes(StandardCharsets.UTF_8);
      metadata.put(entry.substring(0, end), value);
    }
  }

  float score() {
    return score;
  }

  void setScore(float score) {
    this.score = score;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeString(out, url);
    out.writeByte(status);
    out.writeLong(fetched);
    out.writeFloat(score);
    WritableUtils.writeVInt(out, metadata.size());
    for (Map.Entry<String, byte[]> entry : metadata.entrySet()) {
      WritableUtils.writeString(out, entry.getKey());
      WritableUtils.writeVInt(out, entry.getValue().length);
      out.write(entry.getValue());
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    url = WritableUtils.readString(in);
    status = in.readByte();
    fetched = in.readLong();
    score = in.readFloat();
    metadata = new HashMap<>();
    int entries = WritableUtils.readVInt(in);
    for (int i = 0; i < entries; i++) {
      String name = WritableUtils.readString(in);
      byte[] value = new byte[WritableUtils.readVInt(in)];
      in.readFully(value);
      metadata.put(name, value);
    }
  }

  @Override
  public String toString() {
    return url + "\t" + status + "\t" + fetched + "\t" + score + "\t" + metadata.size();
  }
}
