package org.mprof.agent;

import java.lang.instrument.Instrumentation;

/**
 * The class that the JVM looks for. It names no other class of the agent in a signature.
 *
 * <p>The JVM asks a class for all its methods to find {@code premain} in it, which loads the types
 * of their parameters. Where one of them is missing, as in a jar that was built wrongly, it aborts
 * (exit code 134) before any code of ours could catch that.
 */
public final class Premain {
  private Premain() {}

  /** Called by the JVM before {@code main}. Whatever goes wrong, the task runs. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    try {
      Agent.start(arguments, instrumentation);
    } catch (Throwable fault) {
      // Not through Faults, which may be the class that is missing.
      System.err.println("mprof: not attached: " + fault + "; the task runs without it");
    }
  }
}
