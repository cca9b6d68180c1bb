package org.mprof.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.mprof.agent.patch.ClassPath;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchModule;

/** The patch module that fits the Hadoop on the class path. */
final class Patches {
  private static final String MODULES = "META-INF/mprof/patch-modules";

  private final String description;
  private final List<Patch> rows;

  private Patches(String description, List<Patch> rows) {
    this.description = description;
    this.rows = rows;
  }

  /** The first module of the agent jar's list that applies; none is fine too. */
  static Patches find(ClassLoader loader) {
    ClassPath classPath = new ClassPath(loader);
    try (InputStream in = loader.getResourceAsStream(MODULES)) {
      if (in == null) {
        return new Patches("none", Collections.<Patch>emptyList());
      }
      BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      for (String name = reader.readLine(); name != null; name = reader.readLine()) {
        PatchModule module = load(name.trim(), loader);
        if (module != null && module.applies(classPath)) {
          String version = classPath.hadoopVersion();
          String found = version.isEmpty() ? "" : " on " + version;
          return new Patches(module.name() + found, module.patches());
        }
      }
    } catch (IOException e) {
      Faults.caught(e, "finding patches");
    }
    return new Patches("none", Collections.<Patch>emptyList());
  }

  private static PatchModule load(String name, ClassLoader loader) {
    try {
      return name.isEmpty() || name.startsWith("#")
          ? null
          : (PatchModule) Class.forName(name, true, loader).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError e) {
      Faults.caught(e, "loading patches " + name);
      return null;
    }
  }

  /** Such as {@code hadoop-3.4 on 3.4.3}, or {@code none}. */
  String description() {
    return description;
  }

  List<Patch> rows() {
    return rows;
  }
}
