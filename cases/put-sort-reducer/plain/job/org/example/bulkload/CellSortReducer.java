package org.example.bulkload;

import java.io.IOException;
import java.util.TreeSet;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the cells of a row in the order of the store; in pieces if they pass the threshold. */
public class CellSortReducer extends Reducer<Text, Put, Text, Text> {

  static final String THRESHOLD = "bulkload.row.threshold.bytes";
  private static final long THRESHOLD_DEFAULT = 1L << 30;

  private final Text written = new Text();
  private long threshold;

  @Override
  protected void setup(Context context) {
    threshold = context.getConfiguration().getLong(THRESHOLD, THRESHOLD_DEFAULT);
  }

  @Override
  protected void reduce(Text row, Iterable<Put> puts, Context context)
      throws IOException, InterruptedException {
    TreeSet<Cell> sorted = new TreeSet<>();
    long bytes = 0;
    for (Put put : puts) {
      for (Cell cell : put.cells()) {
        if (sorted.add(cell)) {
          bytes += cell.heapBytes();
        }
      }
      if (bytes >= threshold) {
        writeOut(row, sorted, context);
        bytes = 0;
      }
    }
    writeOut(row, sorted, context);
  }

  private void writeOut(Text row, TreeSet<Cell> sorted, Context context)
      throws IOException, InterruptedException {
    for (Cell cell : sorted) {
      written.set(cell.toString());
      context.write(row, written);
    }
    sorted.clear();
  }
}
