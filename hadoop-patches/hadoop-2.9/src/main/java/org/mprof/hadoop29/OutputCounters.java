package org.mprof.hadoop29;

import org.apache.hadoop.mapred.Counters;
import org.mprof.agent.Position;

/**
 * What map() has written into the sort buffer, or reduce() into its output, as Hadoop counts it.
 */
final class OutputCounters implements Position.Source {
  private final Counters.Counter records;
  private final Counters.Counter bytes;

  /** {@code bytes} is null where Hadoop counts none. */
  OutputCounters(Counters.Counter records, Counters.Counter bytes) {
    this.records = records;
    this.bytes = bytes;
  }

  @Override
  public void fetch() {
    Position.put(Position.RECORDS_OUT, records.getCounter());
    if (bytes != null) {
      Position.put(Position.BYTES_OUT, bytes.getCounter());
    }
  }
}
