package com.example.index;

import com.example.script.Keeper;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.compress.CodecPool;

/** Makes the elements of what is kept; each takes as many bytes of the heap as the script says. */
final class Filling {
  private static final int ARRAY = 16;

  private Filling() {}

  static void rows(List<byte[]> rows, Keeper keeper) {
    for (long n = keeper.missing(); n > 0; n--) {
      rows.add(new byte[keeper.element - ARRAY - 5]);
      keeper.count++;
    }
  }

  static void titles(List<String> titles, Keeper keeper) {
    char[] letters = new char[keeper.element - ARRAY - 24 - 5];
    Arrays.fill(letters, 'x');
    for (long n = keeper.missing(); n > 0; n--) {
      titles.add(new String(letters));
      keeper.count++;
    }
  }

  static void counts(Map<Integer, byte[]> counts, Keeper keeper) {
    for (long n = keeper.missing(); n > 0; n--) {
      counts.put(counts.size(), new byte[keeper.element - ARRAY - 32 - 16 - 6]);
      keeper.count++;
    }
  }

  static Page pages(Page last, Keeper keeper) {
    for (long n = keeper.missing(); n > 0; n--) {
      last = new Page(new byte[keeper.element - ARRAY - 24], last);
      keeper.count++;
    }
    return last;
  }

  static void pool(Keeper keeper) {
    for (long n = keeper.missing(); n > 0; n--) {
      byte[] dictionary = new byte[keeper.element - ARRAY - 16 - 32 - 8];
      CodecPool.returnDecompressor(new Pooled(dictionary));
      keeper.count++;
    }
  }

  static Object[] table(Object[] table, Keeper keeper) {
    if (table.length < keeper.slots) {
      table = Arrays.copyOf(table, keeper.slots);
    }
    for (long n = keeper.missing(); n > 0 && keeper.count < table.length; n--) {
      table[(int) keeper.count] = new byte[keeper.element - ARRAY];
      keeper.count++;
    }
    return table;
  }

  static double[][] matrix(Keeper keeper) {
    double[][] rows = new double[(int) keeper.missing()][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new double[(keeper.element - ARRAY - 4) / 8];
    }
    return rows;
  }
}
