package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.mprof.agent.MarkedFailure;

/** Hooks that note what they were given. */
public final class Hooks {
  static final String NAME = "org/mprof/agent/patch/Hooks";
  static final List<String> SEEN = new ArrayList<>();

  /** The property that {@link Late} sets when it is initialised. */
  static final String READY = "mprof.test.ready";

  /** Hooks of which none was called yet. */
  public static final class Late {
    static {
      System.setProperty(READY, "true");
    }

    private Late() {}

    public static void none() {}
  }

  private Hooks() {}

  public static void none() {
    SEEN.add("none");
  }

  public static void number(int value) {
    SEEN.add("number " + value);
  }

  public static void wide(long value) {
    SEEN.add("long " + value);
  }

  public static void object(Object value) {
    SEEN.add(value == null ? "null" : value.getClass().getSimpleName());
  }

  public static void text(String value) {
    SEEN.add("text " + value);
  }

  public static void many(long a, double b, String c, byte d, Object self) {
    SEEN.add(a + " " + b + " " + c + " " + d + " " + self.getClass().getSimpleName());
  }

  public static void thrown(Throwable error) {
    SEEN.add("thrown " + error.getMessage());
  }

  public static void numbers(int[] values, long total) {
    SEEN.add(Arrays.toString(values) + " " + total);
  }

  public static void call(Object receiver, String text, long number, String returned) {
    SEEN.add(receiver.getClass().getSimpleName() + " " + text + " " + number + " " + returned);
  }

  public static boolean not(boolean value) {
    return !value;
  }

  public static String shout(String value) {
    return value.toUpperCase(java.util.Locale.ROOT);
  }

  public static void fails() {
    throw new IllegalArgumentException("a hook that fails");
  }

  public static boolean failsToReplace(boolean value) {
    throw new StackOverflowError("a hook that fails");
  }

  public static void marks() {
    throw new MarkedFailure("on purpose");
  }
}
