package org.mprof.agent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One line of the event log while it is being written: JSON into a reused byte buffer.
 *
 * <p>Obtained from {@link Events#line}, filled, and handed back by {@link #write()}; after that it
 * must not be used. Nothing here throws: what goes wrong makes the line a counted loss. Numbers and
 * plain strings are written without allocating, so that lines can still be made when the heap is
 * full.
 */
public final class EventLine {
  static final int START_BYTES = 8 * 1024;
  static final int FAILURE_BYTES = 64 * 1024;
  static final int MOST_BYTES = 1024 * 1024;

  /** Which part of the bounded log a line may still use. */
  enum Rank {
    ORDINARY,
    IMPORTANT,
    LAST_WORDS
  }

  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LOWEST = "-9223372036854775808".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

  /** Longest string that is written whole; what is longer ends in three dots. */
  private static final int MOST_CHARACTERS = 4000;

  private byte[] bytes;
  private int length;
  private boolean needsComma;
  private boolean broken;
  private Rank rank;
  private final boolean pooled;

  EventLine(int capacity, boolean pooled) {
    this.bytes = new byte[capacity];
    this.pooled = pooled;
  }

  // ---- members -------------------------------------------------------------------------------

  /** A whole number. */
  public EventLine put(String name, long value) {
    name(name);
    number(value);
    return this;
  }

  /** A whole number, left out where it is {@link Position#UNKNOWN}. */
  public EventLine putKnown(String name, long value) {
    return value == Position.UNKNOWN ? this : put(name, value);
  }

  /** A string, left out where it is null. */
  public EventLine put(String name, String value) {
    if (value != null) {
      name(name);
      string(value);
    }
    return this;
  }

  /** A truth value. */
  public EventLine put(String name, boolean value) {
    name(name);
    raw(value ? TRUE : FALSE);
    return this;
  }

  /** A number, left out where JSON cannot express it. */
  public EventLine put(String name, double value) {
    if (!Double.isNaN(value) && !Double.isInfinite(value)) {
      name(name);
      ascii(Double.toString(value));
    }
    return this;
  }

  /** A number that is written already. */
  EventLine literal(String name, String number) {
    name(name);
    ascii(number);
    return this;
  }

  /** A list of whole numbers, left out where it is null. */
  public EventLine put(String name, long[] values) {
    return values == null ? this : put(name, values, values.length);
  }

  /** A list of the first {@code count} numbers. */
  public EventLine put(String name, long[] values, int count) {
    beginList(name);
    for (int i = 0; i < count; i++) {
      element(values[i]);
    }
    return endList();
  }

  /** A list of strings, left out where it is null; null elements are left out. */
  public EventLine putStrings(String name, Iterable<String> values) {
    if (values != null) {
      beginList(name);
      for (String value : values) {
        element(value);
      }
      endList();
    }
    return this;
  }

  /** A list of strings, left out where it is null; null elements are left out. */
  public EventLine putStrings(String name, String... values) {
    return values == null ? this : putStrings(name, Arrays.asList(values));
  }

  /** A digest as 16 hexadecimal digits, left out where it is {@link Position#UNKNOWN}. */
  public EventLine digest(String name, long value) {
    if (value != Position.UNKNOWN) {
      name(name);
      digest(value);
    }
    return this;
  }

  /** A list of digests, each as 16 hexadecimal digits. */
  public EventLine digests(String name, long[] values) {
    return digests(name, values, values.length);
  }

  /** A list of the first {@code count} digests. */
  public EventLine digests(String name, long[] values, int count) {
    beginList(name);
    for (int i = 0; i < count; i++) {
      comma();
      digest(values[i]);
    }
    return endList();
  }

  private void digest(long value) {
    one('"');
    for (int shift = 60; shift >= 0; shift -= 4) {
      one(HEX[(int) (value >>> shift) & 15]);
    }
    one('"');
  }

  /** The position of the task now, as the member {@code at}. */
  public EventLine at() {
    Position.fetch();
    beginObject("at").put("phase", Phase.name(Position.get(Position.PHASE)));
    for (int slot = Position.RECORDS_IN; slot < Position.SLOTS; slot++) {
      atSlot(slot, Position.get(slot));
    }
    return endObject();
  }

  /** A position kept earlier: {@link Position#SLOTS} values from {@code offset} on. */
  EventLine at(long[] slots, int offset) {
    beginObject("at").put("phase", Phase.name(slots[offset + Position.PHASE]));
    for (int slot = Position.RECORDS_IN; slot < Position.SLOTS; slot++) {
      atSlot(slot, slots[offset + slot]);
    }
    return endObject();
  }

  private void atSlot(int slot, long value) {
    if (value == Position.UNKNOWN) {
      return;
    }
    // These four say something only once they are not zero.
    boolean quiet =
        slot == Position.COMBINE_PLACE
            || slot == Position.PROBES_DONE
            || slot == Position.ERRORS
            || slot == Position.VERIFIED;
    if (quiet && value == 0) {
      return;
    }
    if (PositionFile.isDigest(slot)) {
      digest(PositionFile.slotName(slot), value);
    } else {
      put(PositionFile.slotName(slot), value);
    }
  }

  // ---- structure -----------------------------------------------------------------------------

  /** Opens an object as a member. */
  public EventLine beginObject(String name) {
    name(name);
    return open('{');
  }

  /** Opens an object as an element of a list. */
  public EventLine beginObject() {
    comma();
    return open('{');
  }

  public EventLine endObject() {
    return close('}');
  }

  /** Opens a list as a member. */
  public EventLine beginList(String name) {
    name(name);
    return open('[');
  }

  /** Opens a list as an element of a list. */
  public EventLine beginList() {
    comma();
    return open('[');
  }

  public EventLine endList() {
    return close(']');
  }

  /** A number as an element of a list. */
  public EventLine element(long value) {
    comma();
    number(value);
    return this;
  }

  /** A string as an element of a list; nothing where it is null. */
  public EventLine element(String value) {
    if (value != null) {
      comma();
      string(value);
    }
    return this;
  }

  /** A stack frame as an element of a list, as {@link StackTraceElement#toString} shows it. */
  EventLine frame(StackTraceElement frame) {
    comma();
    one('"');
    characters(frame.getClassName());
    one('.');
    characters(frame.getMethodName());
    one('(');
    if (frame.isNativeMethod()) {
      ascii("Native Method");
    } else if (frame.getFileName() == null) {
      ascii("Unknown Source");
    } else {
      characters(frame.getFileName());
      if (frame.getLineNumber() >= 0) {
        one(':');
        number(frame.getLineNumber());
      }
    }
    one(')');
    one('"');
    return this;
  }

  /** Writes the line to the log and gives the buffer back. */
  public void write() {
    Events.write(this);
  }

  // ---- for Events ----------------------------------------------------------------------------

  void start(String type, Rank rank) {
    this.length = 0;
    this.needsComma = false;
    this.broken = false;
    this.rank = rank;
    one('{');
    put("v", Events.VERSION);
    put("t", System.currentTimeMillis());
    put("type", type);
  }

  void finish(long sequence) {
    put("n", sequence);
    one('}');
    one('\n');
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  boolean broken() {
    return broken;
  }

  Rank rank() {
    return rank;
  }

  boolean pooled() {
    return pooled;
  }

  /** Gives memory back after an unusually long line. */
  void shrink() {
    if (bytes.length > FAILURE_BYTES) {
      bytes = new byte[START_BYTES];
    }
  }

  // ---- bytes ---------------------------------------------------------------------------------

  private void comma() {
    if (needsComma) {
      one(',');
    }
    needsComma = true;
  }

  private void name(String name) {
    comma();
    string(name);
    one(':');
  }

  private EventLine open(char bracket) {
    one(bracket);
    needsComma = false;
    return this;
  }

  private EventLine close(char bracket) {
    one(bracket);
    needsComma = true;
    return this;
  }

  private void number(long value) {
    if (value == Long.MIN_VALUE) {
      raw(LOWEST);
      return;
    }
    long rest = value;
    if (rest < 0) {
      one('-');
      rest = -rest;
    }
    int digits = 1;
    for (long power = rest; power >= 10; power /= 10) {
      digits++;
    }
    if (!room(digits)) {
      return;
    }
    for (int i = length + digits - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  private void string(String value) {
    one('"');
    characters(value);
    one('"');
  }

  private void characters(String value) {
    int most = Math.min(value.length(), MOST_CHARACTERS);
    for (int i = 0; i < most; i++) {
      character(value.charAt(i));
    }
    if (most < value.length()) {
      ascii("...");
    }
  }

  private void character(char c) {
    if (c == '"' || c == '\\') {
      one('\\');
      one(c);
    } else if (c >= 0x20 && c < 0x7f) {
      one(c);
    } else {
      // Escaping all that is not plain ASCII keeps half surrogate pairs from breaking the line.
      one('\\');
      one('u');
      for (int shift = 12; shift >= 0; shift -= 4) {
        one(HEX[c >>> shift & 15]);
      }
    }
  }

  private void ascii(String value) {
    for (int i = 0; i < value.length(); i++) {
      one(value.charAt(i));
    }
  }

  private void raw(byte[] value) {
    if (room(value.length)) {
      System.arraycopy(value, 0, bytes, length, value.length);
      length += value.length;
    }
  }

  private void one(int c) {
    if (length < bytes.length || room(1)) {
      bytes[length++] = (byte) c;
    }
  }

  private boolean room(int more) {
    if (broken) {
      return false;
    }
    if (length + more <= bytes.length) {
      return true;
    }
    int wanted = Math.max(bytes.length * 2, length + more);
    if (wanted > MOST_BYTES) {
      broken = true;
      return false;
    }
    try {
      bytes = Arrays.copyOf(bytes, wanted);
      return true;
    } catch (OutOfMemoryError e) {
      broken = true;
      return false;
    }
  }
}
