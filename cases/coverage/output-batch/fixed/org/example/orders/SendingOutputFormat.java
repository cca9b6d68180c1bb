package org.example.orders;

import java.io.IOException;
import java.sql.SQLException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.db.DBOutputFormat;

/** Sends the batch every thousand rows. */
public class SendingOutputFormat extends DBOutputFormat<Stock, NullWritable> {
  private static final int ROWS = 1000;

  @Override
  public RecordWriter<Stock, NullWritable> getRecordWriter(TaskAttemptContext context)
      throws IOException {
    DBRecordWriter writer = (DBRecordWriter) super.getRecordWriter(context);
    return new RecordWriter<Stock, NullWritable>() {
      private int rows;

      @Override
      public void write(Stock row, NullWritable nothing) throws IOException {
        writer.write(row, nothing);
        if (++rows % ROWS == 0) {
          try {
            writer.getStatement().executeBatch();
          } catch (SQLException error) {
            throw new IOException(error);
          }
        }
      }

      @Override
      public void close(TaskAttemptContext context) throws IOException {
        writer.close(context);
      }
    };
  }
}
