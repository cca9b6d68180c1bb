package org.mprof.hadoop;

import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Position;
import org.mprof.agent.Probes;
import org.mprof.agent.RecordStatistics;

/** The groups of one pass of combine(). */
class CombineWalk extends GroupWalk {
  private final CombinePass pass;
  private final long groupsBefore;
  private final long recordsBefore;

  CombineWalk(CombinePass pass, GroupStatistics groups, RecordStatistics records) {
    super(groups, records, verifying("combine"));
    this.pass = pass;
    this.groupsBefore = groups.ordinal();
    this.recordsBefore = records.ordinal();
  }

  @Override
  void groupBegins(long digest) {
    Position.put(Position.COMBINE_GROUP, groups.ordinal() - groupsBefore);
    Position.put(Position.COMBINE_GROUP_DIGEST, digest);
    Position.put(Position.COMBINE_RECORD_IN_GROUP, 0);
    Position.put(Position.COMBINE_GROUP_BYTES, 0);
  }

  @Override
  void recordHanded(long bytes, long digest, RawKeyValueIterator in) {
    long read = records.ordinal() - recordsBefore;
    passRead(read);
    Position.put(Position.COMBINE_RECORDS_IN, read);
    Position.put(Position.COMBINE_RECORD_BYTES, bytes);
    Position.put(Position.COMBINE_RECORD_DIGEST, digest);
    Position.put(Position.COMBINE_RECORD_IN_GROUP, groups.records());
    Position.put(Position.COMBINE_GROUP_BYTES, groups.bytes());
    Probes.beforeCombineRecord(
        pass.spill,
        pass.partition,
        groups.ordinal() - groupsBefore,
        groups.digest(),
        groups.records());
  }

  final void passRead(long read) {
    pass.read(read);
  }

  /** The attempt fails at the record in flight: what has waited is done now. */
  void fails() {}

  @Override
  void recordSkipped() {
    Position.put(Position.COMBINE_RECORD_IN_GROUP, groups.records());
    Position.put(Position.COMBINE_GROUP_BYTES, groups.bytes());
  }
}
