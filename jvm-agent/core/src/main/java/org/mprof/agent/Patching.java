package org.mprof.agent;

import java.lang.instrument.Instrumentation;
import org.mprof.agent.patch.PatchTransformer;

/**
 * Patches classes as they load, until the task's work has begun or its heap fills up.
 *
 * <p>While a transformer is registered, the JVM copies each class file into the heap and calls it,
 * also for classes that are loaded because an error is on its way: those of catch clauses and of
 * handlers. In a full heap each of these takes several full collections more (5 without and 13 with
 * a transformer that does nothing, JDK 17, G1). So the rest of what the task may need is loaded in
 * good time, and the transformer removed.
 */
final class Patching {
  /** Fill after any collection from which on the heap may become full. */
  private static final double FILLING = 0.7;

  /** What loading the rest may take, garbage included. */
  private static final long ROOM_BYTES = 8L << 20;

  private final Patches patches;
  private final PatchTransformer transformer;
  private final Instrumentation instrumentation;
  private boolean ended;

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
    if (ended || !hasWorkBegun() && !isFilling()) {
      return;
    }
    if (hasRoom()) {
      ended = true;
      loadRest();
      instrumentation.removeTransformer(transformer);
    } else if (GcWatch.hasEnded()) {
      // What is loaded from now on is not patched: no reason to prolong a death.
      ended = true;
      instrumentation.removeTransformer(transformer);
    }
  }

  /** The user's set-up may open files of further file systems, which are patched. */
  private static boolean hasWorkBegun() {
    long phase = Position.get(Position.PHASE);
    return phase >= Phase.MAP && phase <= Phase.MERGE || phase >= Phase.REDUCE;
  }

  private static boolean isFilling() {
    return GcWatch.usedAfter() >= FILLING * Runtime.getRuntime().maxMemory();
  }

  private static boolean hasRoom() {
    Runtime heap = Runtime.getRuntime();
    return heap.maxMemory() - heap.totalMemory() + heap.freeMemory() >= ROOM_BYTES;
  }

  /** Loads, without initialising them, what the task has not come to yet. */
  private void loadRest() throws ClassNotFoundException {
    ClassLoader loader = Patching.class.getClassLoader();
    for (String name : transformer.notMet()) {
      if (patches.isNeededBy(name, Attempt.current())) {
        try {
          Class.forName(name.replace('/', '.'), false, loader);
        } catch (ClassNotFoundException | LinkageError absent) {
          continue; // another Hadoop than the row is for
        }
      }
    }
    transformer.loadHooks(loader);
  }
}
