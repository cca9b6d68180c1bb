package org.example.bulkload;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** What is written to one row at one time: some columns, each with a value. */
public final class Put implements Writable {

  private long time;
  private final List<byte[]> columns = new ArrayList<>();
  private final List<byte[]> values = new ArrayList<>();

  /** Takes the content of "time|column=value;column=value". */
  void parse(String text) {
    columns.clear();
    values.clear();
    int bar = text.indexOf('|');
    time = Long.parseLong(text.substring(0, bar));
    for (String cell : text.substring(bar + 1).split(";")) {
      int equals = cell.indexOf('=');
      columns.add(cell.substring(0, equals).getBytes(StandardCharsets.UTF_8));
      values.add(cell.substring(equals + 1).getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Its cells, as new objects. */
  List<Cell> cells() {
    List<Cell> cells = new ArrayList<>(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      cells.add(new Cell(columns.get(i), time, values.get(i)));
    }
    return cells;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeLong(time);
    WritableUtils.writeVInt(out, columns.size());
    for (int i = 0; i < columns.size(); i++) {
      write(out, columns.get(i));
      write(out, values.get(i));
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    columns.clear();
    values.clear();
    time = in.readLong();
    int count = WritableUtils.readVInt(in);
    for (int i = 0; i < count; i++) {
      columns.add(read(in));
      values.add(read(in));
    }
  }

  private static void write(DataOutput out, byte[] bytes) throws IOException {
    WritableUtils.writeVInt(out, bytes.length);
    out.write(bytes);
  }

  private static byte[] read(DataInput in) throws IOException {
    byte[] bytes = new byte[WritableUtils.readVInt(in)];
    in.readFully(bytes);
    return bytes;
  }
}
