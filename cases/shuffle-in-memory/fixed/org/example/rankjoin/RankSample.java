package org.example.rankjoin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Reads the first rows of each table and says where to cut, so that all ranges weigh the same. */
final class RankSample {

  private static final int ROWS_PER_FILE = 10_000;

  private RankSample() {}

  static String bounds(Path folder, int partitions, Configuration conf) throws IOException {
    List<Integer> ranks = new ArrayList<>();
    FileSystem fs = folder.getFileSystem(conf);
    for (FileStatus file : fs.listStatus(folder)) {
      try (BufferedReader rows =
          new BufferedReader(
              new InputStreamReader(fs.open(file.getPath()), StandardCharsets.UTF_8))) {
        String row;
        for (int i = 0; i < ROWS_PER_FILE && (row = rows.readLine()) != null; i++) {
          ranks.add(Integer.parseInt(row.substring(0, row.indexOf('|'))));
        }
      }
    }
    Collections.sort(ranks);
    StringBuilder bounds = new StringBuilder();
    for (int i = 1; i < partitions && !ranks.isEmpty(); i++) {
      bounds.append(i > 1 ? "," : "").append(ranks.get((int) ((long) ranks.size() * i / partitions)));
    }
    return bounds.toString();
  }
}
