package org.mprof.agent;

/** The probe plan of this task, see {@code docs/reference/probe-plan.md}. */
public final class Plan {
  private static volatile Plan current = new Plan();

  private Plan() {}

  /** The plan of this process; without any point before the agent has started. */
  public static Plan current() {
    return current;
  }

  /** What the agent does in this task. */
  public Mode mode() {
    return Mode.WATCH;
  }

  /** {@code map}, {@code reduce}, {@code combine}, or "". */
  public String verifyPlace() {
    return "";
  }

  /** Ordinal of the record to verify in map(), or not known. */
  public long verifyRecord() {
    return Position.UNKNOWN;
  }

  /** Digest of the record to verify, or not known. */
  public long verifyDigest() {
    return Position.UNKNOWN;
  }

  /** Digest of its group's key, or not known. */
  public long verifyGroup() {
    return Position.UNKNOWN;
  }
}
