package org.mprof.agent;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.mprof.agent.patch.ClassPath;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchArchive;
import org.mprof.agent.patch.PatchModule;

/** The patch module that fits the Hadoop on the class path. */
final class Patches {
  private static final String MODULES = "META-INF/mprof/patch-modules";

  private final String hadoopVersion;
  private final PatchModule module;
  private final List<Patch> rows;

  /** {@code module} is null where none fits. */
  private Patches(PatchModule module, String hadoopVersion) {
    this.module = module;
    this.hadoopVersion = hadoopVersion;
    this.rows = module == null ? Collections.<Patch>emptyList() : module.patches();
  }

  /** The first module of the agent jar's list that applies; none is fine too. */
  static Patches find(ClassLoader loader) {
    ClassPath classPath = new ClassPath(loader);
    String version = classPath.hadoopVersion();
    String known = version.isEmpty() ? null : version;
    try (InputStream in = classPath.open(MODULES)) {
      if (in == null) {
        return new Patches(null, known);
      }
      BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      for (String name = reader.readLine(); name != null; name = reader.readLine()) {
        PatchModule module = load(name.trim(), loader);
        if (module != null && module.applies(classPath)) {
          return new Patches(module, known);
        }
      }
    } catch (IOException e) {
      Faults.caught(e, "patches");
    }
    return new Patches(null, known);
  }

  private static PatchModule load(String name, ClassLoader loader) {
    try {
      return name.isEmpty() || name.startsWith("#")
          ? null
          : (PatchModule) Class.forName(name, true, loader).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError e) {
      Faults.caught(e, "patches", name);
      return null;
    }
  }

  /** The Hadoop line whose patches these are, such as {@code hadoop-2.9}; null without patches. */
  String line() {
    return module == null ? null : module.name();
  }

  /** Version of the Hadoop on the class path, or null where it does not say. */
  String hadoopVersion() {
    return hadoopVersion;
  }

  List<Patch> rows() {
    return rows;
  }

  /** Identifies these rows in an agent's jar. */
  String table(File jar) throws IOException {
    return PatchArchive.table(AgentJar.crc(jar), module.name(), rows);
  }

  /** Whether an attempt may come to need a class of the table, by its internal name. */
  boolean isNeededBy(String className, Attempt attempt) {
    return module != null && module.isNeededBy(className, attempt.taskType());
  }
}
