package org.mprof.agent;

/**
 * How a verify attempt ends: thrown on purpose, so that it never commits.
 *
 * <p>The only thing a hook may throw into the job, and only from a row of the patch table that says
 * so ({@code mayFailTask()}).
 */
public final class MarkedFailure extends RuntimeException {
  /** Every message starts with it; the Python side looks for it in the diagnostics. */
  public static final String PREFIX = "mprof verify: ";

  private static final long serialVersionUID = 1L;

  public MarkedFailure(String what) {
    super(PREFIX + what);
  }
}
