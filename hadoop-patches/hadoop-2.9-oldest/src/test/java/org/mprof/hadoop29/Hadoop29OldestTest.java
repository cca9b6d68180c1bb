package org.mprof.hadoop29;

import org.mprof.agent.patch.PatchModule;
import org.mprof.testing.HadoopLineTest;

/** Every test of a line, on the oldest Hadoop that the rows fit. */
class Hadoop29OldestTest extends HadoopLineTest {
  @Override
  protected PatchModule line() {
    return new Hadoop29();
  }
}
