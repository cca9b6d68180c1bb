package org.mprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.LinkedHashSet;
import java.util.Set;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchTransformer;

/**
 * Patches the classes that the task may need, all of them before its {@code main} begins.
 *
 * <p>While a transformer is registered, the JVM copies each class file into the heap and calls the
 * transformer, the JDK's own classes included, which it otherwise maps from an archive. That costs
 * CPU time in the start of a task, and in a full heap collections: some classes are loaded only
 * because an error is on its way, those of catch clauses and of handlers (13 full collections
 * instead of 5 with a transformer that does nothing, JDK 17, G1). So the classes are loaded here,
 * without being initialised, and the transformer is removed at once. What another class loader than
 * the agent's loads is not patched.
 */
final class Patching {
  private final PatchTransformer transformer;

  private Patching(PatchTransformer transformer) {
    this.transformer = transformer;
  }

  /** Patches; {@code instrumentation} is null where nothing can be patched. */
  static Patching of(Patches patches, Instrumentation instrumentation) {
    PatchTransformer transformer = new PatchTransformer(patches.rows());
    if (instrumentation != null && !patches.rows().isEmpty()) {
      instrumentation.addTransformer(transformer);
      try {
        load(patches);
      } finally {
        instrumentation.removeTransformer(transformer);
      }
    }
    return new Patching(transformer);
  }

  /** Readies the hooks of what was patched; allocates the first time. */
  void tick() throws ClassNotFoundException {
    transformer.loadHooks(Patching.class.getClassLoader());
  }

  private static void load(Patches patches) {
    Set<String> names = new LinkedHashSet<>();
    for (Patch row : patches.rows()) {
      names.add(row.className());
    }
    for (String name : names) {
      if (patches.isNeededBy(name, Attempt.current())) {
        try {
          Class.forName(name.replace('/', '.'), false, Patching.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
          continue; // another Hadoop than the row is for
        }
      }
    }
  }
}
