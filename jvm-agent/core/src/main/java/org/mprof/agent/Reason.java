package org.mprof.agent;

/**
 * Why something was not done: a code with its parameters. Whoever reads the event log makes words
 * of it; the codes are listed in {@code docs/reference/event-log.md}.
 */
public final class Reason {
  /** There is one from the start: nothing can be allocated for it when it is needed. */
  public static final Reason OUT_OF_MEMORY = of("out_of_memory");

  /** Deep enough for the wrappers of management beans, and an end for causes in a circle. */
  private static final int MOST_CAUSES = 10;

  private final String code;
  private final String name;
  private final String value;
  private final String message;
  private final long number;

  private Reason(String code, String name, String value, String message, long number) {
    this.code = code;
    this.name = name;
    this.value = value;
    this.message = message;
    this.number = number;
  }

  /** A code that says it all. */
  public static Reason of(String code) {
    return new Reason(code, null, null, null, Position.UNKNOWN);
  }

  /** A code with a text, such as a path. */
  public static Reason of(String code, String name, String value) {
    return new Reason(code, name, value, null, Position.UNKNOWN);
  }

  /** A code with a number that is not negative. */
  public static Reason of(String code, String name, long number) {
    return new Reason(code, name, null, null, number);
  }

  /** What was thrown: {@link #OUT_OF_MEMORY} also where that error is a cause. */
  public static Reason error(Throwable error) {
    Throwable each = error;
    for (int i = 0; i < MOST_CAUSES && each != null; i++) {
      if (each instanceof OutOfMemoryError) {
        return OUT_OF_MEMORY;
      }
      each = each.getCause();
    }
    return new Reason(
        "error", "class", error.getClass().getName(), error.getMessage(), Position.UNKNOWN);
  }

  /** Adds the reason to an event as an object. */
  public EventLine putTo(EventLine line, String member) {
    line.beginObject(member).put("code", code);
    if (name != null && value == null) {
      line.putKnown(name, number);
    } else if (name != null) {
      line.put(name, value);
    }
    return line.put("message", message).endObject();
  }

  /** For stderr. */
  @Override
  public String toString() {
    String parameter = name == null ? "" : " " + (value == null ? Long.toString(number) : value);
    return code + parameter + (message == null ? "" : " " + message);
  }
}
