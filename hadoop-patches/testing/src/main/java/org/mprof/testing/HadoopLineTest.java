package org.mprof.testing;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.mprof.agent.patch.PatchModule;

/**
 * All tests of a Hadoop line. A line's module extends this class and names its line; the Hadoop
 * that the tests run on is the one on the class path.
 *
 * <p>The classes below are nested so that a line lists none of them: a test that is added here is
 * one of every line.
 */
public abstract class HadoopLineTest {
  /** The line under test. */
  protected abstract PatchModule line();

  @Nested
  class Table extends AbstractTableTest {
    @Override
    PatchModule line() {
      return HadoopLineTest.this.line();
    }
  }

  @Nested
  class Attach extends AbstractAttachTest {
    @Override
    PatchModule line() {
      return HadoopLineTest.this.line();
    }
  }

  @Nested
  class Dataflow extends AbstractDataflowTest {}

  @Nested
  class Groups extends AbstractGroupsTest {}

  @Nested
  class Failure extends AbstractFailureTest {}

  @Nested
  class Rest extends AbstractRestTest {}

  @Nested
  class Verify extends AbstractVerifyTest {}

  @Nested
  class LeaveOut extends AbstractLeaveOutTest {}

  @Nested
  class OddJobs extends AbstractOddJobsTest {}

  @Nested
  @Tag("faults")
  class Faults extends AbstractFaultsTest {
    @Override
    PatchModule line() {
      return HadoopLineTest.this.line();
    }
  }

  @Nested
  @Tag("faults")
  class Killed extends AbstractKilledTest {}

  @Nested
  @Tag("faults")
  class Soak extends AbstractSoakTest {}

  @Nested
  class RandomJobs extends AbstractRandomJobsTest {}
}
