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
 * transformer. This includes the JDK's own classes, which the JVM would otherwise map from its
 * archive. In a full heap that takes several full collections more: some classes are loaded only
 * because an error is on its way, those of catch clauses and of handlers (13 full collections
 * instead of 5 with a transformer that does nothing, JDK 17, G1). So the classes are loaded here,
 * without being initialised, and the transformer is removed at once. What another class loader than
 * the agent's loads is not patched.
 */
final class Patching {
  private Patching() {}

  /** Patches, and readies the hooks; {@code instrumentation} is null where nothing can be. */
  static void patch(Patches patches, Instrumentation instrumentation) {
    if (instrumentation == null || patches.rows().isEmpty()) {
      return;
    }
    ClassLoader loader = Patching.class.getClassLoader();
    PatchTransformer transformer = new PatchTransformer(patches.rows());
    instrumentation.addTransformer(transformer);
    try {
      load(patches, loader);
    } finally {
      instrumentation.removeTransformer(transformer);
    }
    transformer.loadHooks(loader);
  }

  private static void load(Patches patches, ClassLoader loader) {
    Set<String> names = new LinkedHashSet<>();
    for (Patch row : patches.rows()) {
      names.add(row.className());
    }
    for (String name : names) {
      if (patches.isNeededBy(name, Attempt.current())) {
        try {
          Class.forName(name.replace('/', '.'), false, loader);
        } catch (ClassNotFoundException | NoClassDefFoundError absent) {
          continue; // another Hadoop than the row is for
        } catch (Throwable fault) {
          Faults.caught(fault, "patching", name);
        }
      }
    }
  }
}
