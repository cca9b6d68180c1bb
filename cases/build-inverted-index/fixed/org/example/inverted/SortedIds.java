package org.example.inverted;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;

/** Ids in order, each once: a bounded set in memory, full ones as sorted runs on disk. */
final class SortedIds implements Closeable {

  private static final int IDS_IN_MEMORY = 20_000;

  private final TreeSet<String> ids = new TreeSet<>();
  private final List<Path> files = new ArrayList<>();
  private final PriorityQueue<Run> runs = new PriorityQueue<>(Comparator.comparing(run -> run.id));
  private Iterator<String> inMemory;
  private String last;

  void add(String id) throws IOException {
    ids.add(id);
    if (ids.size() == IDS_IN_MEMORY) {
      spill();
    }
  }

  /** The next id in order, null after the last. No id may be added after the first call. */
  String next() throws IOException {
    if (inMemory == null) {
      start();
    }
    if (files.isEmpty()) {
      return inMemory.hasNext() ? inMemory.next() : null;
    }
    while (!runs.isEmpty()) {
      Run run = runs.poll();
      String id = run.id;
      offer(run);
      if (!id.equals(last)) {
        last = id;
        return id;
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    for (Run run : runs) {
      run.in.close();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }

  private void start() throws IOException {
    if (!files.isEmpty()) {
      spill();
      for (Path file : files) {
        offer(new Run(file));
      }
    }
    inMemory = ids.iterator();
  }

  private void spill() throws IOException {
    Path file = Files.createTempFile("ids", ".run");
    files.add(file);
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (String id : ids) {
        out.write(id);
        out.write('\n');
      }
    }
    ids.clear();
  }

  private void offer(Run run) throws IOException {
    run.id = run.in.readLine();
    if (run.id == null) {
      run.in.close();
    } else {
      runs.add(run);
    }
  }

  private static final class Run {
    private final BufferedReader in;
    private String id;

    Run(Path file) throws IOException {
      in = Files.newBufferedReader(file);
    }
  }
}
