package org.mprof.agent;

/** Sizes of the groups that a verify attempt read and did not hand to the user's code. */
public final class OtherGroups {
  private final Sketch records = new Sketch();
  private final Sketch bytes = new Sketch();

  /** A group was read to its end. */
  public void add(long groupRecords, long groupBytes) {
    records.add(groupRecords);
    bytes.add(groupBytes);
  }

  void writeTo(EventLine line, String name) {
    line.beginObject(name);
    records.writeTo(line, "records");
    bytes.writeTo(line, "bytes");
    line.endObject();
  }
}
