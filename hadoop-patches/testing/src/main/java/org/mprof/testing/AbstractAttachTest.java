package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.patch.PatchModule;

/** What the agent says of the Hadoop it has found. */
abstract class AbstractAttachTest {
  /** The line that should be found. */
  abstract PatchModule line();

  @Test
  void theAgentNamesThePatchesItUsesAndTheHadoopItFound(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    JsonNode attach = job.submit().map(0).event("attach");
    assertEquals(line().name(), attach.get("patches").asText());
    assertEquals(VersionInfo.getVersion(), attach.get("hadoop_version").asText());
  }
}
