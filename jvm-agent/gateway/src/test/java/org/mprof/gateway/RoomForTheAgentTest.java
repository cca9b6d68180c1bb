package org.mprof.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

/** Containers become larger, by the stated amount, and never the heap in them. */
class RoomForTheAgentTest {
  private static final String MAP = "mapreduce.map.resource.memory-mb";
  private static final String REDUCE = "mapreduce.reduce.resource.memory-mb";

  /** Hadoop's own answer is the measure, whatever is set and whatever is not. */
  @Test
  void whatTheJobAsksForByItselfIsWhatHadoopSays() {
    String[][] jobs = {
      {},
      {"mapreduce.map.memory.mb", "700"},
      {"mapreduce.map.java.opts", "-Xmx150m"},
      {"mapred.child.java.opts", "-Xms1m -Xmx3g -Dx=y"},
      {"mapreduce.map.java.opts", "-Dx=y", "mapreduce.job.heap.memory-mb.ratio", "0.6"},
      {"mapreduce.admin.map.child.java.opts", "-Xmx77m"},
      {"mapreduce.map.memory.mb", "-1", "mapreduce.map.java.opts", "-Xmx1000000k"},
    };
    for (String[] properties : jobs) {
      Configuration job = job(1024, properties);
      int asked = new JobConf(job).getMemoryRequired(TaskType.MAP);
      RoomForTheAgent.enlarge(job);
      assertEquals(
          asked, job.getInt("mprof.container.map.plain.mb", 0), String.join(" ", properties));
    }
  }

  @Test
  void aTightContainerGetsTheHeadroomBeyondWhatYarnGrantsAnyway() {
    Configuration job = job(256, "mapreduce.reduce.java.opts", "-Xmx150m");
    assertEquals(188, new JobConf(job).getMemoryRequired(TaskType.REDUCE));
    RoomForTheAgent.enlarge(job);
    assertEquals("288", job.get(REDUCE)); // 188 becomes 256, which is 106 beside the heap
    assertEquals("188", job.get("mprof.container.reduce.plain.mb"));
  }

  @Test
  void aContainerOfHadoopsOwnRatioStaysAsItIs() {
    Configuration job = job(1024);
    RoomForTheAgent.enlarge(job);
    assertNull(job.get(MAP));
    assertNull(job.get(REDUCE));
    assertEquals("1024", job.get("mprof.container.map.plain.mb"));
  }

  @Test
  void aHeapThatCannotFitKeepsItsContainerSoThatTheKillIsSeen() {
    Configuration job =
        job(1024, "mapreduce.map.memory.mb", "1024", "mapreduce.map.java.opts", "-Xmx1800m");
    RoomForTheAgent.enlarge(job);
    assertNull(job.get(MAP));
  }

  @Test
  void theHeapThatHadoopDerivesFromTheContainerStaysAsItWas() {
    Configuration job = job(64, "mapreduce.map.memory.mb", "640");
    String before = new JobConf(job).getTaskJavaOpts(TaskType.MAP);
    RoomForTheAgent.enlarge(job);
    assertEquals("672", job.get(MAP)); // 512 of heap, 128 beside it
    assertEquals(before, new JobConf(job).getTaskJavaOpts(TaskType.MAP));
    assertEquals("640", job.get("mapreduce.map.memory.mb"));
  }

  @Test
  void theRoomOfARerunIsGivenWhateverTheHeap() {
    Configuration job =
        job(1024, "mapreduce.map.memory.mb", "1024", "mapreduce.map.java.opts", "-Xmx1800m");
    job.setInt("mprof.container.room.map.mb", 3072);
    RoomForTheAgent.enlarge(job);
    assertEquals("3072", job.get(MAP));
    assertNull(job.get(REDUCE));
  }

  @Test
  void nothingIsAskedForThatTheClusterDoesNotGive() {
    Configuration job = job(1024, "mapreduce.map.java.opts", "-Xmx1800m");
    job.setInt("mprof.container.room.map.mb", 20000);
    job.setInt(RoomForTheAgent.MOST, 8192);
    RoomForTheAgent.enlarge(job);
    assertEquals("8192", job.get(MAP));
    assertEquals("maximum", job.get("mprof.container.map.why"));
  }

  @Test
  void theSecondJobOfADriverGetsNoMoreThanTheFirst() {
    Configuration job = job(256, "mapreduce.reduce.java.opts", "-Xmx150m");
    RoomForTheAgent.enlarge(job);
    RoomForTheAgent.enlarge(job);
    assertEquals("288", job.get(REDUCE));
    job.set("mapreduce.reduce.java.opts", "-Xmx1g"); // its next job needs no headroom
    RoomForTheAgent.enlarge(job);
    assertNull(job.get(REDUCE));
  }

  @Test
  void whatTheUserAsksForByResourceTypeIsLeftAlone() {
    Configuration job =
        job(256, "mapreduce.reduce.java.opts", "-Xmx150m", REDUCE.replace("-mb", ""), "200Mi");
    RoomForTheAgent.enlarge(job);
    assertNull(job.get(REDUCE));
    assertEquals("resource", job.get("mprof.container.reduce.why"));
  }

  @Test
  void aJobThatMprofDidNotStartIsNotTouched() {
    Configuration job = new Configuration();
    job.set("mapreduce.reduce.java.opts", "-Xmx150m");
    assertNull(new RoomForTheAgent().create(job));
    assertNull(job.get(REDUCE));
    assertNull(job.get("mprof.container.reduce.plain.mb"));
  }

  @Test
  void aValueThatIsNoNumberLeavesTheJobAsItIs() {
    Configuration job = job(256, "mapreduce.reduce.memory.mb", "much");
    assertNull(new RoomForTheAgent().create(job));
    assertNull(job.get(REDUCE));
  }

  private static Configuration job(int step, String... properties) {
    Configuration job = new Configuration();
    job.setInt("yarn.scheduler.minimum-allocation-mb", step);
    job.setInt(RoomForTheAgent.HEADROOM, 32);
    job.setInt(RoomForTheAgent.LEAST_BESIDE, 64);
    job.setInt(RoomForTheAgent.ENOUGH_BESIDE, 192);
    for (int i = 0; i < properties.length; i += 2) {
      job.set(properties[i], properties[i + 1]);
    }
    return job;
  }
}
