package org.mprof.hadoop29;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.mprof.agent.patch.Patch;

/** Which classes of the table are patched, for which tasks. */
class NeededClassesTest {
  private static final Hadoop29 LINE = new Hadoop29();

  /** Simple names of the classes that {@code first} needs and {@code second} does not. */
  private static TreeSet<String> only(String first, String second) {
    TreeSet<String> names = new TreeSet<>();
    for (Patch row : LINE.patches()) {
      if (LINE.isNeededBy(row.className(), first) && !LINE.isNeededBy(row.className(), second)) {
        names.add(row.className().substring(row.className().lastIndexOf('/') + 1));
      }
    }
    return names;
  }

  @Test
  void mapsNeedNoShuffleAndReducesNoSortBuffer() {
    assertEquals(
        "[MapRunner, MapTask, MapTask$DirectMapOutputCollector, MapTask$MapOutputBuffer, "
            + "MapTask$MapOutputBuffer$MRResultIterator, MapTask$NewDirectOutputCollector, "
            + "MapTask$NewTrackingRecordReader, MapTask$SkippingRecordReader, "
            + "MapTask$TrackedRecordReader, SpillRecord]",
        only("map", "reduce").toString());
    assertEquals(
        "[InMemoryMapOutput, InMemoryWriter, MergeManagerImpl, MergeManagerImpl$InMemoryMerger, "
            + "MergeManagerImpl$IntermediateMemoryToMemoryMerger, MergeManagerImpl$OnDiskMerger, "
            + "OnDiskMapOutput, ReduceTask, Shuffle, ShuffleSchedulerImpl]",
        only("reduce", "map").toString());
  }

  @Test
  void aJvmThatMayRunBothNeedsAll() {
    for (Patch row : LINE.patches()) {
      assertTrue(LINE.isNeededBy(row.className(), ""), row.className());
    }
  }
}
