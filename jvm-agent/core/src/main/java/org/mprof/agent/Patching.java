package org.mprof.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchArchive;
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
 *
 * <p>Classes that were patched ahead of time are taken from the archive beside the agent's jar.
 */
final class Patching {
  private Patching() {}

  /** Patches, and readies the hooks; {@code instrumentation} is null where nothing can be. */
  static void patch(Patches patches, Instrumentation instrumentation) {
    if (instrumentation == null || patches.rows().isEmpty()) {
      return;
    }
    ClassLoader loader = Patching.class.getClassLoader();
    PatchArchive archive = archive(patches);
    PatchTransformer transformer = new PatchTransformer(patches.rows(), archive);
    instrumentation.addTransformer(transformer);
    try {
      load(patches, loader);
    } finally {
      instrumentation.removeTransformer(transformer);
      close(archive);
    }
    Events.line("patched")
        .put("ahead", transformer.ahead())
        .put("here", transformer.here())
        .write();
    transformer.loadHooks(loader);
  }

  private static PatchArchive archive(Patches patches) {
    try {
      return PatchAhead.archive(patches);
    } catch (IOException | RuntimeException unreadable) {
      Faults.caught(unreadable, "patching", PatchAhead.FILE);
      return null;
    }
  }

  private static void close(PatchArchive archive) {
    try {
      if (archive != null) {
        archive.close();
      }
    } catch (IOException e) {
      Faults.caught(e, "patching", PatchAhead.FILE);
    }
  }

  private static void load(Patches patches, ClassLoader loader) {
    for (String name : Patch.byClass(patches.rows()).keySet()) {
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
