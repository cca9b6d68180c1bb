package org.mprof.testing;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;

/** What this JVM holds at the moment, after a full collection. */
final class Footprint {
  /** Bytes of live instances of the agent's own classes; their arrays are in {@link #heap}. */
  final long agent;

  /** Bytes of all live objects. */
  final long heap;

  final long threads;
  final long descriptors;

  /** Bytes of direct and of mapped buffers. */
  final long buffers;

  private Footprint(long agent, long heap, long threads, long descriptors, long buffers) {
    this.agent = agent;
    this.heap = heap;
    this.threads = threads;
    this.descriptors = descriptors;
    this.buffers = buffers;
  }

  static Footprint now() throws Exception {
    System.gc();
    String table =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    long agent = 0;
    long heap = 0;
    for (String line : table.split("\n")) {
      String[] words = line.trim().split("\\s+");
      if (words.length >= 4 && words[0].endsWith(":") && words[0].length() > 1) {
        heap += Long.parseLong(words[2]);
        if (words[3].startsWith("org.mprof.") && !words[3].startsWith("org.mprof.testing.")) {
          agent += Long.parseLong(words[2]);
        }
      }
    }
    long buffers = 0;
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      buffers += pool.getMemoryUsed();
    }
    UnixOperatingSystemMXBean system =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Footprint(
        agent,
        heap,
        ManagementFactory.getThreadMXBean().getThreadCount(),
        system.getOpenFileDescriptorCount(),
        buffers);
  }

  static Footprint parse(String text) {
    String[] words = text.split("\\D+");
    return new Footprint(
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]),
        Long.parseLong(words[5]));
  }

  @Override
  public String toString() {
    return String.format(
        "agent %d B, heap %d B, threads %d, descriptors %d, buffers %d B",
        agent, heap, threads, descriptors, buffers);
  }
}
