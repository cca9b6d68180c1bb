package org.mprof.hadoop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mprof.agent.EventLine;
import org.mprof.agent.Events;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;

/**
 * What the shuffle of a reduce task holds and does: memory reserved, segments fetched, merges.
 *
 * <p>Called a few times for each segment, from fetchers and mergers; hence the lock. The slots of
 * the position file are exact at any moment, also when an allocation fails in between.
 */
public final class ShuffleLog {
  private static final int MOST_MAPS = 1000;

  private static volatile ShuffleLog current;

  /** Of what was merged; files that were fetched as they are can be as many as there are maps. */
  private final Map<String, Long> recordsOnDisk = new HashMap<>();

  private final Map<String, Merge> running = new HashMap<>();
  private long inFlight;
  private long merging;
  private long segments;
  private long bytes;
  private Thread merger;
  private boolean finalMerge;
  private int taken;
  private int finalDiskSegments;
  private int finalMemorySegments;
  private long finalMemoryBytes;

  /** The log of the shuffle that runs, or null. */
  public static ShuffleLog current() {
    return current;
  }

  /** The memory manager was made. */
  public static ShuffleLog begin(
      long memoryLimit, long mergeThreshold, long maxSingle, int fetchers) {
    ShuffleLog log = new ShuffleLog();
    current = log;
    Position.put(Position.SHUFFLE_LIMIT, memoryLimit);
    Position.put(Position.SHUFFLE_USED, 0);
    Position.put(Position.SHUFFLE_IN_FLIGHT, 0);
    Position.put(Position.SHUFFLE_MERGING, 0);
    Position.put(Position.FETCHED_SEGMENTS, 0);
    Position.put(Position.FETCHED_BYTES, 0);
    Events.line("shuffle_limits")
        .put("memory_limit", memoryLimit)
        .put("merge_threshold", mergeThreshold)
        .put("max_single_segment", maxSingle)
        .put("fetchers", fetchers)
        .write();
    return log;
  }

  // ---- fetches --------------------------------------------------------------------------------

  /** Bytes the memory manager has given out changed. */
  public synchronized void used(long usedBytes) {
    Position.put(Position.SHUFFLE_USED, usedBytes);
  }

  /** A fetcher got room for a segment, in memory or on disk. */
  public synchronized void reserved(String map, long rawBytes, boolean inMemory) {
    if (inMemory) {
      inFlight += rawBytes;
      Position.put(Position.SHUFFLE_IN_FLIGHT, inFlight);
    }
    Position.touch();
    fetchLine("reserve", map, rawBytes, inMemory).write();
  }

  /** The room was reserved but could not be allocated. */
  public synchronized void reserveFailed(String map, long rawBytes) {
    fetchLine("fail", map, rawBytes, true).write();
  }

  /** A segment in memory is complete, or given up: no longer in flight. */
  public synchronized void landed(long rawBytes) {
    inFlight = Math.max(0, inFlight - rawBytes);
    Position.put(Position.SHUFFLE_IN_FLIGHT, inFlight);
  }

  public synchronized void fetched(String map, long rawBytes, long compressed, boolean inMemory) {
    segments++;
    bytes += rawBytes;
    Position.put(Position.FETCHED_SEGMENTS, segments);
    Position.put(Position.FETCHED_BYTES, bytes);
    Position.touch();
    fetchLine("done", map, rawBytes, inMemory).put("compressed_bytes", compressed).write();
  }

  public synchronized void fetchFailed(String map, long rawBytes, boolean inMemory) {
    fetchLine("fail", map, rawBytes, inMemory).write();
  }

  private static EventLine fetchLine(String edge, String map, long rawBytes, boolean inMemory) {
    return Events.line("fetch")
        .put("edge", edge)
        .put("map", map)
        .put("raw_bytes", rawBytes)
        .put("to", inMemory ? "memory" : "disk")
        .put("used", Position.get(Position.SHUFFLE_USED))
        .put("thread", Thread.currentThread().getName());
  }

  // ---- merges ---------------------------------------------------------------------------------

  /**
   * A merge begins on this thread. {@code maps} are the attempts whose output it reads, or null.
   */
  public synchronized void beginMerge(String kind, List<String> maps, int count, long rawBytes) {
    KeyRuns.takeLastClosed();
    running.put(kind, new Merge(maps, count, rawBytes, CombinePass.calls()));
    if (kind.equals("memory")) {
      merging = rawBytes;
      merger = Thread.currentThread();
      Position.put(Position.SHUFFLE_MERGING, merging);
    }
    Position.touch();
    mergeLine(kind, "begin", maps, count, rawBytes).write();
  }

  /** The calling thread gave back the memory of a segment it has merged. */
  public synchronized void unreserved(long rawBytes) {
    if (merger == Thread.currentThread()) {
      merging = Math.max(0, merging - rawBytes);
      Position.put(Position.SHUFFLE_MERGING, merging);
    }
  }

  /** The merge is done; what it wrote was closed by this thread just before. */
  public synchronized void endMerge(String kind) {
    Merge merge = running.remove(kind);
    KeyRuns runs = KeyRuns.takeLastClosed();
    if (merge == null || runs == null) {
      return;
    }
    boolean combined = kind.equals("memory") && CombinePass.calls() != merge.combineCalls;
    mergeLine(kind, "end", merge.maps, merge.segments, merge.rawBytes)
        .put("records_in", combined ? CombinePass.recordsOfLastPass() : runs.records())
        .put("records_out", runs.records())
        .put("keys", runs.keys())
        .put("combined", combined)
        .write();
    if (kind.equals("memory")) {
      merger = null;
      merging = 0;
      Position.put(Position.SHUFFLE_MERGING, 0);
    }
    Position.touch();
  }

  private static EventLine mergeLine(
      String kind, String edge, List<String> maps, int count, long rawBytes) {
    EventLine line =
        Events.line("shuffle_merge").put("kind", kind).put("edge", edge).put("segments", count);
    if (maps != null) {
      line.putStrings("maps", maps.size() > MOST_MAPS ? maps.subList(0, MOST_MAPS) : maps);
    }
    return line.putKnown("raw_bytes", rawBytes);
  }

  // ---- the input of reduce() ------------------------------------------------------------------

  /** A file came to the disk: written by a merge of this thread, or fetched as it is. */
  public synchronized void onDisk(String path) {
    KeyRuns runs = KeyRuns.lastClosed();
    if (runs != null && Thread.currentThread().getName().contains("Merger")) {
      recordsOnDisk.put(path, runs.records());
    }
  }

  /** All segments are fetched and all merges done, the input of reduce() is put together. */
  public synchronized void beginFinal(int memorySegments, long memoryBytes, int diskSegments) {
    Phase.enter(Phase.SORT);
    CombinePass.allDone();
    finalMerge = true;
    taken = 0;
    finalMemorySegments = 0;
    finalMemoryBytes = 0;
    finalDiskSegments = diskSegments;
    KeyRuns.takeLastClosed();
    mergeLine("final", "begin", null, memorySegments + diskSegments, memoryBytes).write();
  }

  /**
   * Segments in memory were taken for a merge. The final merge asks twice: for those that must
   * leave the memory, then for those that reduce() may read from there.
   */
  public synchronized void memorySegments(int count, long rawBytes) {
    if (finalMerge) {
      taken += count;
      finalMemorySegments = count;
      finalMemoryBytes = rawBytes;
    }
  }

  /**
   * The merged input is ready.
   *
   * @param paths files on disk that it reads
   * @param diskBytes their raw length
   */
  public synchronized void endFinal(List<String> paths, long diskBytes) {
    finalMerge = false;
    KeyRuns runs = KeyRuns.takeLastClosed();
    // A file more than at the start: the segments that had to leave the memory were written to it.
    KeyRuns spilled = paths.size() > finalDiskSegments ? runs : null;
    EventLine line = mergeLine("final", "end", null, paths.size() + finalMemorySegments, diskBytes);
    if (spilled != null) {
      line.put("records_out", spilled.records()).put("keys", spilled.keys());
    }
    line.write();
    long records = recordsIn(paths, spilled);
    Position.put(Position.REDUCE_TOTAL, records);
    Events.line("reduce_input")
        .put("memory_segments", finalMemorySegments)
        .put("memory_bytes", finalMemoryBytes)
        .put("disk_segments", paths.size())
        .put("disk_bytes", diskBytes)
        .putKnown("records", records)
        .write();
    recordsOnDisk.clear();
  }

  /** Records of the input, where each of its files was written by a merge of this task. */
  private long recordsIn(List<String> paths, KeyRuns spilled) {
    if (finalMemorySegments > 0 || taken > 0 && spilled == null) {
      return Position.UNKNOWN;
    }
    long sum = spilled == null ? 0 : spilled.records();
    int unknown = spilled == null ? 0 : -1;
    for (String path : paths) {
      Long records = recordsOnDisk.get(path);
      if (records == null) {
        unknown++;
      } else {
        sum += records;
      }
    }
    return unknown == 0 ? sum : Position.UNKNOWN;
  }

  private static final class Merge {
    final List<String> maps;
    final int segments;
    final long rawBytes;
    final long combineCalls;

    Merge(List<String> maps, int segments, long rawBytes, long combineCalls) {
      this.maps = maps;
      this.segments = segments;
      this.rawBytes = rawBytes;
      this.combineCalls = combineCalls;
    }
  }
}
