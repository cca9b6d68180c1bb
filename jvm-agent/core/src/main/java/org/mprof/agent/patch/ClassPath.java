package org.mprof.agent.patch;

import java.io.InputStream;
import java.util.Properties;

/** Questions about the class path that load no class. */
public final class ClassPath {
  private final ClassLoader loader;

  public ClassPath(ClassLoader loader) {
    this.loader = loader;
  }

  /** Whether a class is there; {@code internalName} with slashes. */
  public boolean hasClass(String internalName) {
    return loader.getResource(internalName + ".class") != null;
  }

  /** Hadoop's version as its jar states it, or "". For reports, not for decisions. */
  public String hadoopVersion() {
    try (InputStream in = loader.getResourceAsStream("common-version-info.properties")) {
      if (in == null) {
        return "";
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", "");
    } catch (java.io.IOException | IllegalArgumentException e) {
      return "";
    }
  }
}
