package org.mprof.agent;

import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * The one thread of the agent: samples the position, and looks now and then whether there is
 * something to be done. A daemon, asleep but for some microseconds in 50 ms.
 *
 * <p>A look allocates. In a heap that is nearly full there is only one every ten seconds that
 * allocates next to nothing: an OutOfMemoryError of this thread would be the JVM's first, and its
 * dump that of a task which might have lived.
 */
final class Ticker extends Thread {
  private static final long SAMPLE_MS = 50;
  private static final int LOOK_EVERY = 5;

  /** The memory of the process is read once a second, after the first one. */
  private static final int PROCESS_EVERY = 20;

  private final long setupBytes;
  private long readAtStart = -1;
  private long nextSetup;

  Ticker(long setupBytes) {
    super("mprof");
    setDaemon(true);
    Faults.contain(this);
    this.setupBytes = setupBytes;
    this.nextSetup = setupBytes;
  }

  @Override
  public void run() {
    rehearse();
    for (int i = 0; ; i++) {
      try {
        Thread.sleep(SAMPLE_MS);
        PositionRing.sample();
        Ending.haltIfStuck();
        Crawl.tick();
        if (i % PROCESS_EVERY == PROCESS_EVERY - 1) {
          ProcessMemory.tick();
        }
        if (i % LOOK_EVERY == 0 && GcWatch.hasEnded()) {
          OomDump.tickWhenFull();
        } else if (i % LOOK_EVERY == 0) {
          OomDump.tick();
          Histograms.tick();
          setup();
        }
      } catch (InterruptedException e) {
        return;
      } catch (Throwable fault) {
        Faults.caught(fault, "ticker");
      }
    }
  }

  /** Loads what is first met a second later, when the heap may be full. */
  private static void rehearse() {
    try {
      ProcessMemory.last();
    } catch (Throwable fault) {
      Faults.caught(fault, "ticker");
    }
  }

  /** Probes of the user's set-up by bytes read: nothing else moves before the first record. */
  private void setup() throws IOException {
    long phase = Position.get(Position.PHASE);
    boolean beforeFirst =
        phase == Phase.SETUP && Position.get(Position.RECORDS_IN) <= 0
            || phase == Phase.REDUCE_SETUP && Position.get(Position.GROUP) <= 0;
    if (setupBytes <= 0 || !beforeFirst) {
      return;
    }
    long read = bytesRead();
    if (readAtStart < 0) {
      readAtStart = read;
    }
    if (read - readAtStart >= nextSetup) {
      nextSetup = (read - readAtStart) / setupBytes * setupBytes + setupBytes;
      Probes.setupProbe(read - readAtStart);
    }
  }

  /** {@code rchar} of /proc/self/io: bytes the process has read from anything; 0 elsewhere. */
  private static long bytesRead() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile("/proc/self/io", "r")) {
      for (String line = file.readLine(); line != null; line = file.readLine()) {
        if (line.startsWith("rchar:")) {
          return Long.parseLong(line.substring(6).trim());
        }
      }
    } catch (java.io.FileNotFoundException e) {
      return 0;
    }
    return 0;
  }
}
