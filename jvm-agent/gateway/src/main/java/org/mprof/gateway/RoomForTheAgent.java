package org.mprof.gateway;

import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;

/**
 * Makes the containers of a job larger as its driver submits it, and changes nothing else.
 *
 * <p>What a container has to hold is known only once the driver's own code has set up the job: a
 * property of the overlay is too early, and {@code memory.mb} is too much, because Hadoop takes the
 * heap from it where there is no -Xmx, and takes it from -Xmx where it is not set ({@code
 * JobConf.getTaskJavaOpts}, {@code getMemoryRequired}). So this stands where Hadoop looks for its
 * client protocol, which it does with the job's finished configuration ({@code Cluster.initialize},
 * from {@code Job.submit}): it sets {@code mapreduce.SIDE.resource.memory-mb}, which the
 * application master asks YARN for and derives nothing from ({@code
 * TaskAttemptImpl.populateResourceCapability}), and offers no protocol itself. Hadoop has that
 * property since YARN-6927 (3.x); {@code MRJobConfig} tells whether this one has.
 *
 * <p>Its class and its entry in {@code META-INF/services} stand in the overlay folder, which is the
 * first of a client's class path. Any fault leaves the job as it is.
 */
public final class RoomForTheAgent extends ClientProtocolProvider {
  static final String PREFIX = "mprof.container.";
  static final String HEADROOM = PREFIX + "headroom.mb";
  static final String LEAST_BESIDE = PREFIX + "least-beside-heap.mb";
  static final String ENOUGH_BESIDE = PREFIX + "enough-beside-heap.mb";
  static final String MOST = PREFIX + "most.mb";

  /** {@code MRJobConfig.DEFAULT_MAP_MEMORY_MB}, and that of reduce tasks. */
  private static final int DEFAULT_MB = 1024;

  @Override
  public ClientProtocol create(Configuration job) {
    try {
      enlarge(job);
    } catch (RuntimeException | LinkageError fault) {
      System.err.println("mprof: no room was made for the agent: " + fault);
    }
    return null;
  }

  @Override
  public ClientProtocol create(InetSocketAddress tracker, Configuration job) {
    return create(job);
  }

  @Override
  public void close(ClientProtocol protocol) {
    // It never made one.
  }

  static void enlarge(Configuration job) {
    if (job.get(HEADROOM) == null) {
      return;
    }
    enlarge(job, "map");
    enlarge(job, "reduce");
  }

  private static void enlarge(Configuration job, String side) {
    String own = PREFIX + side + ".mb";
    String resource = "mapreduce." + side + ".resource.memory-mb";
    // A driver may submit more than one job with the same configuration: not twice as much.
    if (job.get(own) != null && job.get(own).equals(job.get(resource))) {
      job.unset(resource);
    }
    job.unset(own);
    job.unset(PREFIX + side + ".why");
    String why = reasonAgainst(job, side);
    if (why != null) {
      job.set(PREFIX + side + ".why", why);
      return;
    }
    float ratio = job.getFloat("mapreduce.job.heap.memory-mb.ratio", 0.8f);
    int heap = JobConf.parseMaximumHeapSizeMB(optionsOf(job, side));
    int asked = job.getInt("mapreduce." + side + ".memory.mb", -1);
    if (asked <= 0) {
      asked = heap > 0 ? (int) Math.ceil(heap / ratio) : DEFAULT_MB;
    }
    if (heap <= 0) {
      heap = (int) Math.ceil(asked * ratio);
    }
    job.setInt(PREFIX + side + ".plain.mb", asked);
    int wanted = wanted(job, side, asked, heap);
    int most = job.getInt(MOST, Integer.MAX_VALUE);
    if (wanted > most) {
      job.set(PREFIX + side + ".why", "maximum");
      wanted = most;
    }
    if (wanted > asked) {
      job.setInt(resource, wanted);
      job.setInt(own, wanted);
    }
  }

  /** As {@code JobConf.getConfiguredTaskJavaOpts}, which is private and whose callers log. */
  private static String optionsOf(Configuration job, String side) {
    String ofBoth = job.get("mapred.child.java.opts", "");
    return job.get("mapreduce.admin." + side + ".child.java.opts", "")
        + " "
        + job.get("mapreduce." + side + ".java.opts", ofBoth);
  }

  /** What to ask YARN for, in MB; at most {@code asked} where the container may stay as it is. */
  private static int wanted(Configuration job, String side, int asked, int heap) {
    int granted = granted(job, asked);
    int room = job.getInt(PREFIX + "room." + side + ".mb", 0);
    int beside = granted - heap;
    boolean tight = beside >= job.getInt(LEAST_BESIDE, 0) && beside < job.getInt(ENOUGH_BESIDE, 0);
    int headroom = tight && heap > 0 ? granted + job.getInt(HEADROOM, 0) : 0;
    return Math.max(room, headroom);
  }

  /**
   * What YARN makes of a request: a multiple of its smallest container. By the client's own
   * configuration, for the ResourceManager does not tell.
   */
  private static int granted(Configuration job, int asked) {
    int step = Math.max(1, job.getInt("yarn.scheduler.minimum-allocation-mb", 1024));
    return (asked + step - 1) / step * step;
  }

  private static String reasonAgainst(Configuration job, String side) {
    try {
      MRJobConfig.class.getField("MAP_RESOURCE_TYPE_PREFIX");
    } catch (NoSuchFieldException before31) {
      return "hadoop";
    }
    String prefix = "mapreduce." + side + ".resource.memory";
    return job.get(prefix) != null || job.get(prefix + "-mb") != null ? "resource" : null;
  }
}
