package org.mprof.agent.patch;

import java.util.concurrent.Callable;

/** A class to be patched: one method for each shape of code that patches have to get right. */
public class Subject implements Callable<String> {
  private final int[] numbers = {1, 2, 3};
  private long total = 7;
  private static String shared = "shared";

  public Subject() {
    this(new StringBuilder("made").append('!').toString());
  }

  public Subject(String name) {
    super();
    total += name.length();
  }

  public boolean next(int limit) {
    if (total > limit) {
      return false;
    }
    total++;
    return true;
  }

  public long wide(long a, double b, String c, byte d) {
    return a + (long) b + c.length() + d;
  }

  public String loops(String text) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 3; i++) {
      try {
        all.append(helper(text, i));
      } catch (IllegalStateException e) {
        all.append("caught");
        continue;
      } finally {
        all.append(';');
      }
    }
    return all.toString();
  }

  public String helper(String text, long number) {
    if (number == 1) {
      throw new IllegalStateException("one");
    }
    return text + number;
  }

  public static int twice(int value) {
    return value * 2;
  }

  public void nothing() {
    total = twice(3) + sum(numbers);
  }

  public static int sum(int[] values) {
    int sum = 0;
    for (int value : values) {
      sum += value;
    }
    return sum;
  }

  public void throwsOut(boolean really) throws Exception {
    if (really) {
      throw new java.io.IOException("out");
    }
  }

  public String call() {
    return shared;
  }

  public long total() {
    return total;
  }
}
