package org.mprof.agent.patch;

import java.util.List;

/**
 * The patches for one line of Hadoop. Implementations are named, one class a line, in the resource
 * {@code META-INF/mprof/patch-modules} of the agent jar; the first one that applies is used.
 */
public interface PatchModule {
  /**
   * For the {@code attach} event, such as {@code hadoop-2.9}, named by the oldest Hadoop the rows
   * fit.
   */
  String name();

  /**
   * Whether this module fits the Hadoop on the class path, told by the shape of it. No Hadoop class
   * may be loaded here: a class that is loaded before the transformer is there stays unpatched.
   */
  boolean applies(ClassPath classPath);

  /**
   * Whether a task of this type may use a class of the table. Only those are loaded, and so
   * patched, before the task begins.
   *
   * @param className internal name
   * @param taskType {@code map}, {@code reduce}, or "" for a JVM that may run both
   */
  boolean isNeededBy(String className, String taskType);

  /** The rows. */
  List<Patch> patches();
}
