package com.example.fill;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Every way of filling a container; a comment at the end of a line names what the line fills. */
public class Fillers extends Base {
  private final List<String> list = new ArrayList<>();
  private final Map<String, List<String>> groups = new HashMap<>();
  private static final Deque<byte[]> QUEUE = new ArrayDeque<>();
  private final StringBuilder text = new StringBuilder();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final long[] counts = new long[1000];
  private String joined = "";
  private List<String> fresh;
  private final Index index = new Index();
  private final Registry own = new Registry();
  private List<String> left = new ArrayList<>();
  private List<String> right = new ArrayList<>();

  static class Registry extends HashMap<String, String> {}

  static class Index {
    private final Map<String, Integer> entries = new HashMap<>();
    private final List<Integer> order = new ArrayList<>();

    void record(String word) {
      entries.merge(word, 1, Integer::sum); // fills index.entries
      order.add(entries.size()); // fills index.order
    }
  }

  void registered(String word) {
    own.put(word, word); // fills own.table
  }

  void plain(String word, long at, double weight) {
    long twice = at * 2 + (long) weight;
    for (int i = 0; i < twice; i++) {
      if (word.length() > i && list.size() < 100) {
        list.add(word.substring(i)); // fills list
      }
    }
    list.remove(0);
  }

  void grouped(String word) {
    groups.computeIfAbsent(word, key -> new ArrayList<>()).add(word); // fills groups
    List<String> known = groups.get(word);
    known.add(word); // fills groups
    for (Map.Entry<String, List<String>> each : groups.entrySet()) {
      System.out.println(each.getKey());
    }
  }

  static void queued(int size) {
    QUEUE.addLast(new byte[size]); // fills QUEUE
    switch (size) {
      case 1:
        QUEUE.push(new byte[1]); // fills QUEUE
        break;
      case 1000:
        QUEUE.offer(new byte[2]); // fills QUEUE
        break;
      default:
        QUEUE.poll();
    }
  }

  void written(byte[] data) throws IOException {
    text.append(data.length).append(" bytes"); // fills text
    try {
      bytes.write(data); // fills bytes
    } catch (IOException error) {
      text.append(error.getMessage()); // fills text
      throw error;
    } finally {
      counts[data.length]++; // fills counts
    }
  }

  void concatenated(String word) {
    joined = joined + word; // fills joined
  }

  void swapped(boolean here, String word) {
    (here ? left : right).add(word);
    left.add(word); // fills left
    list.set(0, word);
  }

  void collected(Collection<String> words) {
    fresh = new ArrayList<>(words); // fills fresh
    inherited.addAll(words); // fills inherited
    words.forEach(word -> list.add(word)); // fills list
    Consumer<String> adds =
        word -> {
          list.add(word); // fills list
        };
    adds.accept("x");
  }

  int local(Iterable<String> words) {
    ArrayList<String> all = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    long number = 0;
    for (String word : words) {
      if (seen.put(word, 1) == null) { // fills local HashMap
        all.add(word); // fills local ArrayList
      }
      number += word.length();
    }
    return all.size() + (int) number;
  }
}

class Base {
  protected final List<String> inherited = new ArrayList<>();
}
