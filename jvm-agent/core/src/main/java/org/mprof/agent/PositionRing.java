package org.mprof.agent;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;

/**
 * Where the task stood during the last few seconds, sampled by the agent's thread: the position
 * that belongs to a collection is the sample nearest to it in time.
 *
 * <p>Times are milliseconds since the JVM started, as in {@code GcInfo}. Fixed memory.
 */
final class PositionRing {
  /** At one sample each 50 ms: somewhat more than three seconds. */
  private static final int SAMPLES = 64;

  private static final long[] TIMES = new long[SAMPLES];
  private static final long[] SLOTS = new long[SAMPLES * Position.SLOTS];

  private static RuntimeMXBean runtime;
  private static int next;

  private PositionRing() {}

  static synchronized void sample() {
    if (runtime == null) {
      runtime = ManagementFactory.getRuntimeMXBean();
    }
    add(runtime.getUptime());
  }

  static synchronized void add(long uptimeMs) {
    Position.copyTo(SLOTS, next * Position.SLOTS);
    TIMES[next] = uptimeMs;
    next = (next + 1) % SAMPLES;
  }

  /** Writes the member {@code at} for a pause from {@code start} to {@code end}. */
  static synchronized EventLine at(EventLine line, long start, long end) {
    int best = -1;
    long bestDistance = Long.MAX_VALUE;
    for (int i = 0; i < SAMPLES; i++) {
      long time = TIMES[i];
      long distance = time < start ? start - time : Math.max(0, time - end);
      if (time > 0 && distance < bestDistance) {
        bestDistance = distance;
        best = i;
      }
    }
    return best < 0 ? line.at() : line.at(SLOTS, best * Position.SLOTS);
  }
}
