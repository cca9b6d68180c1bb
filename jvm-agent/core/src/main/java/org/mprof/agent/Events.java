package org.mprof.agent;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;

/**
 * The event log {@code events.jsonl}: append-only, one JSON object a line, bounded.
 *
 * <p>{@code Events.line("spill").put("spill", 3).at().write()}. Never on the path of every record.
 * Lines are filled in buffers that are there from the start, and written with one system call each,
 * so that what was written survives {@code SIGKILL}. Without an open log every line is dropped.
 *
 * <p>A line that is never written costs its buffer, nothing else: lines are not tied to a lock.
 *
 * <p>One thread writes at a time, and none waits long for another: where the disk hangs under the
 * thread that writes, the lines of the others are put by, and it writes them when it comes back.
 */
public final class Events {
  /** Of the format; a reader takes no other. */
  static final int VERSION = 2;

  private static final int BUFFERS = 4;

  /** What ordinary events may not use, so that the end of the story is always told. */
  private static final int RESERVED_BYTES = 256 * 1024;

  /** What is kept for the loss and the end alone: a log that just stops looks like a killed JVM. */
  private static final int LAST_WORDS_BYTES = 1024;

  /** For so long a thread waits while another one writes. */
  private static final long MOST_WAIT_MS = 200;

  /** Lines that are put by while a write hangs; those beyond are lost. */
  private static final EventLine[] PUT_BY = new EventLine[16];

  /** Under its own lock; the atomic classes bring in method handles, 10 ms of start-up. */
  private static final EventLine[] POOL = new EventLine[BUFFERS];

  private static final EventLine NOWHERE = new EventLine(64, false);
  private static final Object LOCK = new Object();

  private static EventLine failureLine;
  private static FileOutputStream out;
  private static File file;
  private static long mostBytes;
  private static long written;
  private static long sequence;
  private static volatile long lost;
  private static volatile boolean lossTold;
  private static volatile boolean failed;

  /** Whether a thread is at its write, and whether another one has waited for it in vain. */
  private static boolean writing;

  private static boolean hangs;
  private static int putBy;
  private static volatile boolean useReserve;

  /** Whether the end comes next: what is late then (collections, mostly) is not the task's. */
  private static boolean over;

  private Events() {}

  /** Begins a line; {@link EventLine#write()} ends it. Never null, never throws. */
  public static EventLine line(String type) {
    EventLine line = take();
    line.start(type, rank(type));
    return line;
  }

  /** The line of a failure, in a buffer that is kept large and ready for it. */
  static EventLine failureLine() {
    EventLine line;
    synchronized (POOL) {
      line = failureLine;
      failureLine = null;
    }
    line = line != null ? line : take();
    line.start("failure", EventLine.Rank.IMPORTANT);
    return line;
  }

  /** Goes the way of the last lines once, so that nothing is met for the first time at the end. */
  static void rehearse() {
    for (String type :
        new String[] {"loss", "end", "failure", "dump", "memory", "process", "crawl"}) {
      rank(type);
    }
    give(failureLine());
  }

  /** Whether a log is open. */
  public static boolean isOpen() {
    return out != null;
  }

  /** Bytes of the log so far. */
  static long written() {
    synchronized (LOCK) {
      return written;
    }
  }

  /** The log, or null before it is open. */
  static File file() {
    return file;
  }

  /** Opens (or goes on with) the log and allocates the buffers. */
  static void open(File target, long most) throws IOException {
    synchronized (LOCK) {
      boolean torn = endsInTheMiddle(target);
      out = new FileOutputStream(target, true);
      if (torn) {
        out.write('\n');
      }
      file = target;
      written = target.length();
      mostBytes = most;
      synchronized (POOL) {
        for (int i = 0; i < BUFFERS; i++) {
          POOL[i] = new EventLine(EventLine.START_BYTES, true);
        }
        failureLine = new EventLine(EventLine.FAILURE_BYTES, true);
      }
    }
  }

  /** Whether a log is there whose last line a killed JVM did not finish. */
  private static boolean endsInTheMiddle(File target) throws IOException {
    if (target.length() == 0) {
      return false;
    }
    try (RandomAccessFile old = new RandomAccessFile(target, "r")) {
      old.seek(old.length() - 1);
      return old.read() != '\n';
    }
  }

  /** From now on every event may use the last bytes too: the task has failed or ends. */
  static void useReserve() {
    useReserve = true;
  }

  /** The end comes next: ordinary events are dropped from now on, and are no loss. */
  static void over() {
    synchronized (LOCK) {
      over = true;
    }
  }

  /** States what was lost, if anything was. */
  static void writeLosses() {
    long count;
    synchronized (LOCK) {
      count = lost;
    }
    if (count > 0) {
      line("loss").put("what", "events").put("count", count).write();
    }
  }

  /** For tests: closes the log, so that another one can be opened. */
  static void close() throws IOException {
    synchronized (LOCK) {
      if (out != null) {
        out.close();
      }
      out = null;
      file = null;
      written = 0;
      sequence = 0;
      lost = 0;
      lossTold = false;
      failed = false;
      useReserve = false;
      over = false;
      putBy = 0;
      Arrays.fill(PUT_BY, null);
    }
  }

  static void write(EventLine line) {
    if (line == NOWHERE) {
      return;
    }
    synchronized (LOCK) {
      if (!awaitTurn()) {
        if (putBy < PUT_BY.length) {
          PUT_BY[putBy++] = line;
        } else {
          lost++;
        }
        return;
      }
      writing = true;
    }
    IOException fault = null;
    boolean done = false;
    try {
      EventLine own = line;
      while (!done) {
        EventLine next = null;
        synchronized (LOCK) {
          if (putBy > 0) {
            next = PUT_BY[0];
            System.arraycopy(PUT_BY, 1, PUT_BY, 0, --putBy);
            PUT_BY[putBy] = null;
          } else if (own != null) {
            next = own;
            own = null;
          } else {
            done = true;
            ended();
          }
        }
        if (next != null) {
          IOException here = append(next);
          fault = fault == null ? here : fault;
          give(next);
        }
      }
    } finally {
      if (!done) {
        synchronized (LOCK) {
          ended();
        }
      }
    }
    if (fault != null) {
      // Not under the lock: System.err may be a stream of the user's, which may do anything.
      Faults.say("the event log cannot be written any more: " + fault.getMessage());
    } else if (lost > 0 && !lossTold && !failed) {
      // Said at once as well as at the end: a killed JVM never gets there.
      lossTold = true;
      writeLosses();
    }
  }

  /** Waits, not long, until no thread writes; false where one still does. Under the lock. */
  private static boolean awaitTurn() {
    long until = System.nanoTime() + MOST_WAIT_MS * 1_000_000;
    boolean interrupted = false;
    while (writing && !hangs) {
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        hangs = true; // nobody else waits for it
      } else {
        try {
          LOCK.wait(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !writing;
  }

  private static void ended() {
    writing = false;
    hangs = false;
    LOCK.notifyAll();
  }

  /** Called by the one thread that writes. */
  private static IOException append(EventLine line) {
    FileOutputStream to;
    synchronized (LOCK) {
      if (out == null || failed || over && line.rank() == EventLine.Rank.ORDINARY) {
        return null;
      }
      line.finish(sequence + 1);
      if (line.broken() || written + line.length() > limit(line)) {
        lost++;
        return null;
      }
      to = out;
    }
    try {
      to.write(line.bytes(), 0, line.length());
    } catch (IOException e) {
      // A full disk, usually. Later lines would follow a torn one, so the log ends here.
      synchronized (LOCK) {
        failed = true;
        lost++;
      }
      return e;
    }
    synchronized (LOCK) {
      written += line.length();
      sequence++;
    }
    return null;
  }

  private static long limit(EventLine line) {
    long important = mostBytes - LAST_WORDS_BYTES;
    switch (line.rank()) {
      case LAST_WORDS:
        return mostBytes;
      case IMPORTANT:
        return important;
      default:
        long ordinary = mostBytes - Math.min(RESERVED_BYTES, mostBytes / 4);
        return useReserve ? important : Math.min(important, ordinary);
    }
  }

  private static EventLine.Rank rank(String type) {
    switch (type) {
      case "loss":
      case "end":
        return EventLine.Rank.LAST_WORDS;
      case "attach":
      case "failure":
      case "dump":
      case "histogram":
      case "verify":
      case "rest":
      case "phase":
        return EventLine.Rank.IMPORTANT;
      default:
        return EventLine.Rank.ORDINARY;
    }
  }

  private static EventLine take() {
    if (out == null) {
      return new EventLine(256, false);
    }
    synchronized (POOL) {
      for (int i = 0; i < BUFFERS; i++) {
        EventLine line = POOL[i];
        if (line != null) {
          POOL[i] = null;
          return line;
        }
      }
    }
    try {
      return new EventLine(EventLine.START_BYTES, true);
    } catch (OutOfMemoryError e) {
      return NOWHERE;
    }
  }

  private static void give(EventLine line) {
    if (!line.pooled()) {
      return;
    }
    try {
      line.shrink();
    } catch (OutOfMemoryError e) {
      // It keeps its large buffer, then.
    }
    synchronized (POOL) {
      if (failureLine == null && line.bytes().length >= EventLine.FAILURE_BYTES) {
        failureLine = line;
        return;
      }
      for (int i = 0; i < BUFFERS; i++) {
        if (POOL[i] == null) {
          POOL[i] = line;
          return;
        }
      }
    }
  }
}
