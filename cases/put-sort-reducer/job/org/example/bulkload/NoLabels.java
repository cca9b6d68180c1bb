package org.example.bulkload;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.mapreduce.VisibilityExpressionResolver;

/** In place of HBase's own, which reads the labels of cells from a table. */
public class NoLabels implements VisibilityExpressionResolver {

  private Configuration conf;

  @Override
  public void init() {}

  @Override
  public List<Tag> createVisibilityExpTags(String expression) {
    return new ArrayList<>();
  }

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
  }

  @Override
  public Configuration getConf() {
    return conf;
  }
}
