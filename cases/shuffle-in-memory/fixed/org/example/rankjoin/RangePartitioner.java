package org.example.rankjoin;

import java.util.Arrays;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Partitioner;

/** Gives each reducer a range of ranks; the bounds were measured on a sample of the input. */
public class RangePartitioner extends Partitioner<RankKey, Text> implements Configurable {

  static final String BOUNDS = "rankjoin.partition.bounds";

  private Configuration conf;
  private int[] bounds;

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
    bounds = conf.getInts(BOUNDS);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public int getPartition(RankKey key, Text row, int partitions) {
    int found = Arrays.binarySearch(bounds, key.rank());
    int range = found >= 0 ? found : -found - 1;
    return Math.min(range, partitions - 1);
  }
}
