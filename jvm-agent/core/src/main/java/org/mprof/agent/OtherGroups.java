package org.mprof.agent;

/**
 * Sizes of groups beside the one in question: those that a verify attempt read and did not hand to
 * the user's code, or those before and after the group of a failure.
 */
public final class OtherGroups {
  private final Sketch records = new Sketch();
  private final Sketch bytes = new Sketch();

  /** A group was read to its end. */
  public void add(GroupTotal group) {
    records.add(group.records());
    bytes.add(group.bytes());
  }

  /** All groups that have ended there. */
  public void addAll(GroupStatistics groups) {
    groups.addEndedTo(records, bytes);
  }

  /** Writes both sketches as the member {@code name}. */
  public void writeTo(EventLine line, String name) {
    line.beginObject(name);
    records.writeTo(line, "records");
    bytes.writeTo(line, "bytes");
    line.endObject();
  }
}
