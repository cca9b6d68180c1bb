package org.example.cooccur;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/** Counts of one word's neighbours: a bounded map in memory, full ones as sorted runs on disk. */
final class SortedRuns implements Closeable {

  /** Receives each neighbour once, in order. */
  interface Receiver {
    void accept(String neighbour, int times) throws IOException, InterruptedException;
  }

  private static final int ENTRIES_IN_MEMORY = 50_000;

  private final TreeMap<String, Integer> counts = new TreeMap<>();
  private final List<Path> files = new ArrayList<>();

  void plus(StripeWritable stripe) throws IOException {
    stripe.forEach((neighbour, times) -> counts.merge(neighbour, times, Integer::sum));
    if (counts.size() >= ENTRIES_IN_MEMORY) {
      spill();
    }
  }

  void merge(Receiver receiver) throws IOException, InterruptedException {
    if (files.isEmpty()) {
      for (Map.Entry<String, Integer> entry : counts.entrySet()) {
        receiver.accept(entry.getKey(), entry.getValue());
      }
      return;
    }
    spill();
    PriorityQueue<Run> runs =
        new PriorityQueue<>((left, right) -> left.neighbour.compareTo(right.neighbour));
    try {
      for (Path file : files) {
        offer(runs, new Run(file));
      }
      while (!runs.isEmpty()) {
        String neighbour = runs.peek().neighbour;
        int times = 0;
        while (!runs.isEmpty() && runs.peek().neighbour.equals(neighbour)) {
          Run run = runs.poll();
          times += run.times;
          offer(runs, run);
        }
        receiver.accept(neighbour, times);
      }
    } finally {
      for (Run run : runs) {
        run.in.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }

  private void spill() throws IOException {
    Path file = Files.createTempFile("neighbours", ".run");
    files.add(file);
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      for (Map.Entry<String, Integer> entry : counts.entrySet()) {
        out.writeUTF(entry.getKey());
        out.writeInt(entry.getValue());
      }
    }
    counts.clear();
  }

  private static void offer(PriorityQueue<Run> runs, Run run) throws IOException {
    if (run.next()) {
      runs.add(run);
    } else {
      run.in.close();
    }
  }

  private static final class Run {
    private final DataInputStream in;
    private String neighbour;
    private int times;

    Run(Path file) throws IOException {
      in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)));
    }

    boolean next() throws IOException {
      try {
        neighbour = in.readUTF();
      } catch (EOFException end) {
        return false;
      }
      times = in.readInt();
      return true;
    }
  }
}
