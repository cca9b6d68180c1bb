package org.mprof.hadoop29;

import org.mprof.agent.patch.PatchModule;
import org.mprof.testing.HadoopLineTest;

/** Every test of a line, on the Hadoop that mprof is built with. */
class Hadoop29Test extends HadoopLineTest {
  @Override
  protected PatchModule line() {
    return new Hadoop29();
  }
}
