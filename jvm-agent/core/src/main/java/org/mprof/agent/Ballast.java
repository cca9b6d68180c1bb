package org.mprof.agent;

/**
 * Memory that a verify attempt holds so that a record has the room it had in the job: byte arrays
 * that no object of the task refers to.
 *
 * <p>All of them hang on objects of this class alone, by which a reader of a dump tells them from
 * the memory of the job. An array and the list of a row's arrays stay far below half a region of
 * G1, whose smallest has 1 MB, so that none is humongous: they are moved together like other old
 * objects, and waste nothing.
 */
final class Ballast {
  /** With its header an array takes 64 KB, whether or not references are compressed. */
  static final int CHUNK_BYTES = 64 * 1024;

  private static final int HEADER_BYTES = 16;
  private static final int CHUNKS_A_ROW = 1024;

  private static volatile Ballast held;

  private final byte[][] chunks;
  private final Ballast next;

  private Ballast(int count, Ballast next) {
    this.chunks = new byte[count][];
    this.next = next;
  }

  /** Whether any is held. */
  static boolean isHeld() {
    return held != null;
  }

  /** Gives all of it up; allocates nothing. */
  static void release() {
    held = null;
  }

  /**
   * Holds so many bytes more, rounded down to whole arrays, and never so many that less than {@code
   * leave} bytes of the heap are free.
   *
   * @param mostNanos after which it gives up
   * @return null where they are held, else why not; nothing is held then
   */
  static Reason hold(long bytes, long leave, long mostNanos) {
    long began = System.nanoTime();
    Reason why = null;
    try {
      for (long left = bytes / CHUNK_BYTES; left > 0 && why == null; ) {
        int count = (int) Math.min(left, CHUNKS_A_ROW);
        if (freeBytes() < leave + (long) count * CHUNK_BYTES) {
          why = Reason.OUT_OF_MEMORY;
        } else if (System.nanoTime() - began > mostNanos) {
          why = Reason.of("too_slow", "seconds", mostNanos / 1_000_000_000L);
        } else {
          addRow(count);
          left -= count;
        }
      }
    } catch (OutOfMemoryError e) {
      why = Reason.OUT_OF_MEMORY;
    }
    if (why != null) {
      release();
    }
    return why;
  }

  private static void addRow(int count) {
    Ballast row = new Ballast(count, held);
    held = row;
    for (int i = 0; i < count; i++) {
      row.chunks[i] = new byte[CHUNK_BYTES - HEADER_BYTES];
    }
  }

  /** Bytes that are held. */
  static long bytes() {
    long chunks = 0;
    for (Ballast row = held; row != null; row = row.next) {
      chunks += row.chunks.length;
    }
    return chunks * CHUNK_BYTES;
  }

  private static long freeBytes() {
    Runtime heap = Runtime.getRuntime();
    return heap.maxMemory() - heap.totalMemory() + heap.freeMemory();
  }
}
