package org.example.cooccur;

import java.util.Arrays;

/**
 * An open-addressing hash map from strings to counts: entries lie in two flat arrays in the order
 * of their arrival, found through a table of their numbers. Far smaller than a HashMap of boxed
 * numbers; the arrays double when they are full.
 */
final class StringCounts {

  /** Receives each entry. */
  interface Receiver {
    void accept(String key, int count);
  }

  private String[] keys = new String[4];
  private int[] counts = new int[4];
  private int size;

  /** Number of the entry plus one, or zero; twice as long as the arrays, so never full. */
  private int[] table = new int[8];

  int size() {
    return size;
  }

  void add(String key, int times) {
    int slot = find(key);
    if (table[slot] == 0) {
      if (size == keys.length) {
        grow();
        slot = find(key);
      }
      keys[size] = key;
      table[slot] = ++size;
    }
    counts[table[slot] - 1] += times;
  }

  void forEach(Receiver receiver) {
    for (int i = 0; i < size; i++) {
      receiver.accept(keys[i], counts[i]);
    }
  }

  private int find(String key) {
    int hash = key.hashCode();
    int slot = (hash ^ (hash >>> 16)) & (table.length - 1);
    while (table[slot] != 0 && !keys[table[slot] - 1].equals(key)) {
      slot = (slot + 1) & (table.length - 1);
    }
    return slot;
  }

  private void grow() {
    keys = Arrays.copyOf(keys, 2 * size);
    counts = Arrays.copyOf(counts, 2 * size);
    table = new int[4 * size];
    for (int i = 0; i < size; i++) {
      table[find(keys[i])] = i + 1;
    }
  }
}
