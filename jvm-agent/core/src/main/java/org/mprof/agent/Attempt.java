package org.mprof.agent;

import java.io.File;

/** Which task attempt this JVM runs. */
public final class Attempt {
  private static volatile Attempt current = new Attempt("", new File("."));

  private final String id;
  private final String job;
  private final String taskType;
  private final int index;
  private final int number;
  private final File dir;
  private final long beganNanos = System.nanoTime();

  private Attempt(String id, File dir) {
    this.id = id;
    this.dir = dir;
    // attempt_<cluster timestamp>_<job>_<m|r>_<task>_<attempt>
    String[] parts = id.split("_");
    boolean known = parts.length == 6 && parts[0].equals("attempt");
    this.job = known ? "job_" + parts[1] + "_" + parts[2] : "";
    this.taskType =
        !known ? "" : parts[3].equals("m") ? "map" : parts[3].equals("r") ? "reduce" : "";
    this.index = known ? parse(parts[4]) : -1;
    this.number = known ? parse(parts[5]) : -1;
  }

  /** The attempt of this process; one without id where the JVM is not a task. */
  public static Attempt current() {
    return current;
  }

  static void use(Attempt attempt) {
    current = attempt;
  }

  static Attempt of(String id, File dir) {
    return new Attempt(id, dir);
  }

  /**
   * The attempt id in a command line such as {@code org.apache.hadoop.mapred.YarnChild host port
   * attempt_1_0001_m_000003_0 5} (the main class of tasks since 0.23; {@code Child} in 1.x), or "".
   */
  static String idIn(String command) {
    for (String word : (command == null ? "" : command).split(" ")) {
      if (word.startsWith("attempt_")) {
        return word;
      }
    }
    return "";
  }

  /** {@code attempt_...}, or "". */
  public String id() {
    return id;
  }

  /** {@code job_...}, or "". */
  public String job() {
    return job;
  }

  /** {@code map}, {@code reduce} or "". */
  public String taskType() {
    return taskType;
  }

  public boolean isMap() {
    return taskType.equals("map");
  }

  public boolean isReduce() {
    return taskType.equals("reduce");
  }

  /** Index of the task in its job, or -1. */
  public int index() {
    return index;
  }

  /** Number of this attempt of the task, from 0, or -1. */
  public int number() {
    return number;
  }

  /** For how long the agent has been in it, in nanoseconds. */
  public long ranNanos() {
    return System.nanoTime() - beganNanos;
  }

  /** Where the agent writes. */
  public File dir() {
    return dir;
  }

  /** The task as plans name it, {@code m_000003}, or "". */
  public String planName() {
    return index < 0 || taskType.isEmpty() ? "" : taskType.charAt(0) + "_" + padded(index);
  }

  /** Six digits; String.format would be a tenth of the agent's start-up. */
  private static String padded(int number) {
    StringBuilder text = new StringBuilder(Integer.toString(number));
    while (text.length() < 6) {
      text.insert(0, '0');
    }
    return text.toString();
  }

  private static int parse(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
