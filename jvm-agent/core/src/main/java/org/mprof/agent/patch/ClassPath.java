package org.mprof.agent.patch;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.util.Properties;

/** Questions about the class path that load no class. */
public final class ClassPath {
  private static final String VERSION_INFO = "common-version-info.properties";

  private final ClassLoader loader;

  public ClassPath(ClassLoader loader) {
    this.loader = loader;
  }

  /** Whether a class is there; {@code internalName} with slashes. */
  public boolean hasClass(String internalName) {
    return loader.getResource(internalName + ".class") != null;
  }

  /**
   * Opens a resource, or null. Not by {@code getResourceAsStream}: a {@code URLClassLoader} that is
   * closed would close the jar for others that read it meanwhile.
   */
  public InputStream open(String resource) throws IOException {
    URL url = loader.getResource(resource);
    if (url == null) {
      return null;
    }
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false);
    return connection.getInputStream();
  }

  /** Hadoop's version as its jar states it, or "". For reports, not for decisions. */
  public String hadoopVersion() {
    String byName = versionInJarName(loader.getResource(VERSION_INFO));
    return byName.isEmpty() ? versionInFile() : byName;
  }

  /** From {@code .../hadoop-common-3.4.3.jar!/...}: opening the jar once more takes 20 ms. */
  static String versionInJarName(URL resource) {
    String path = resource == null ? "" : resource.getPath();
    int begin = path.lastIndexOf("/hadoop-common-");
    int end = path.indexOf(".jar!/", Math.max(begin, 0));
    if (begin < 0 || end < 0) {
      return "";
    }
    String version = path.substring(begin + "/hadoop-common-".length(), end);
    return !version.isEmpty() && Character.isDigit(version.charAt(0)) ? version : "";
  }

  private String versionInFile() {
    try (InputStream in = open(VERSION_INFO)) {
      if (in == null) {
        return "";
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", "");
    } catch (IOException | IllegalArgumentException e) {
      return "";
    }
  }
}
