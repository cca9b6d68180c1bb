package org.mprof.testing;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Dumps the heap once for each name, from wherever it is called; stands for the agent's probe. */
public final class Dump {
  private static final Set<String> DONE = ConcurrentHashMap.newKeySet();

  private Dump() {}

  public static void once(String name) {
    if (DONE.add(name)) {
      try {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .dumpHeap(System.getProperty("dumps") + "/" + name + ".hprof", true);
      } catch (java.io.IOException error) {
        throw new java.io.UncheckedIOException(error);
      }
    }
  }
}
