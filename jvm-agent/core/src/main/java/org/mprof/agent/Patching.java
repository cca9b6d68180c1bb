package org.mprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.patch.PatchTransformer;

/**
 * Patches classes as they load, until the task's work has begun or its heap fills up.
 *
 * <p>While a transformer is registered, the JVM copies each class file into the heap and calls the
 * transformer, even for classes that are loaded only because an error is on its way: those of catch
 * clauses and of handlers. In a full heap that takes several full collections more (13 instead of 5
 * with a transformer that does nothing, JDK 17, G1). So the rest of what the task may need is
 * loaded in good time, and the transformer is removed.
 */
final class Patching {
  /** Share of the heap in use after a collection from which on it may fill up. */
  private static final double FILLING = 0.5;

  private final Patches patches;
  private final PatchTransformer transformer;
  private final Instrumentation instrumentation;
  private boolean ended;
  private List<String> rest;
  private int loaded;

  /** {@code instrumentation} is null where nothing can be patched. */
  Patching(Patches patches, Instrumentation instrumentation) {
    this.patches = patches;
    this.transformer = new PatchTransformer(patches.rows());
    this.instrumentation = instrumentation;
    if (instrumentation == null || patches.rows().isEmpty()) {
      ended = true;
    } else {
      instrumentation.addTransformer(transformer);
    }
  }

  /** Readies the hooks of what was patched; allocates. */
  void tick() throws ClassNotFoundException {
    transformer.loadHooks(Patching.class.getClassLoader());
  }

  /** Ends the patching where it is time to; allocates only then. */
  void endInTime() throws ClassNotFoundException {
    if (ended) {
      return;
    }
    long phase = Position.get(Position.PHASE);
    if (phase >= Phase.COMMIT || (hasWorkBegun(phase) || isFilling()) && loadsRest()) {
      ended = true;
      instrumentation.removeTransformer(transformer);
    }
  }

  /**
   * Set-up is not work yet: user code may open files there, through file systems that are patched
   * when they are loaded.
   */
  private static boolean hasWorkBegun(long phase) {
    return phase >= Phase.MAP && phase <= Phase.MERGE || phase >= Phase.REDUCE;
  }

  private static boolean isFilling() {
    return GcWatch.usedAfter() >= FILLING * Runtime.getRuntime().maxMemory();
  }

  /**
   * Loads, without initialising them, what the task has not come to yet, while the heap leaves room
   * for it; the task may be filling it up meanwhile. Where that is faster, the transformer stays:
   * what is not patched would be missed without a word.
   *
   * @return whether nothing is left to load
   */
  private boolean loadsRest() throws ClassNotFoundException {
    ClassLoader loader = Patching.class.getClassLoader();
    while (GcWatch.leavesRoom()) {
      if (rest == null) {
        rest = needed();
      }
      if (loaded == rest.size()) {
        transformer.loadHooks(loader);
        return true;
      }
      String name = rest.get(loaded++);
      try {
        Class.forName(name.replace('/', '.'), false, loader);
      } catch (ClassNotFoundException | LinkageError absent) {
        continue; // another Hadoop than the row is for
      }
    }
    return false;
  }

  /** Classes that the task may need and that it has not come to yet. */
  private List<String> needed() {
    List<String> names = new ArrayList<>();
    for (String name : transformer.notMet()) {
      if (patches.isNeededBy(name, Attempt.current())) {
        names.add(name);
      }
    }
    return names;
  }
}
