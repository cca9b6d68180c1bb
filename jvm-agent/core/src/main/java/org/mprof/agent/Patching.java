package org.mprof.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
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
  private static final String ARCHIVE = "mprof-patched.zip";
  private static final long MOST_BYTES = 4L << 20;

  private Patching() {}

  /** Patches, and readies the hooks; {@code instrumentation} is null where nothing can be. */
  static void patch(Patches patches, Instrumentation instrumentation) {
    if (instrumentation == null || patches.rows().isEmpty()) {
      return;
    }
    ClassLoader loader = Patching.class.getClassLoader();
    PatchTransformer transformer = new PatchTransformer(patches.rows(), archive(patches));
    instrumentation.addTransformer(transformer);
    try {
      load(patches, loader);
    } finally {
      instrumentation.removeTransformer(transformer);
    }
    Events.line("patched")
        .put("ahead", transformer.ahead())
        .put("here", transformer.here())
        .write();
    transformer.loadHooks(loader);
  }

  /**
   * The archive beside the agent's jar, or null: where it is not as well protected as the jar,
   * somebody else might have put it there.
   */
  private static PatchArchive archive(Patches patches) {
    try {
      File jar = AgentJar.file();
      File file = jar == null ? null : new File(jar.getParentFile(), ARCHIVE);
      if (file == null || !file.isFile()) {
        return null;
      }
      if (file.length() > MOST_BYTES) {
        throw new IOException(file + " is too large");
      }
      if (!AgentJar.isProtectedAs(jar, file)) {
        throw new IOException(file + " is of another owner than the jar, or others may write it");
      }
      try (InputStream in = new FileInputStream(file)) {
        return PatchArchive.read(in, patches.table(jar));
      }
    } catch (Throwable unreadable) {
      Faults.caught(unreadable, "patching", ARCHIVE);
      return null;
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
