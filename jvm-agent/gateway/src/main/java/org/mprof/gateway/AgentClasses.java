package org.mprof.gateway;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;

/** Hadoop's classes as the agent patches them, made with an agent's jar on this class path. */
final class AgentClasses {
  private AgentClasses() {}

  /**
   * Calls {@code PatchAhead.write} of the agent.
   *
   * @return how many classes were written
   */
  static int patch(File agentJar, File target) throws IOException {
    URL[] jar = {agentJar.toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(jar, AgentClasses.class.getClassLoader())) {
      Class<?> writer = Class.forName("org.mprof.agent.PatchAhead", true, loader);
      if (writer.getClassLoader() != loader) {
        throw new IOException("another agent's jar is on Hadoop's class path");
      }
      return (Integer) writer.getMethod("write", File.class).invoke(null, target);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException) {
        throw (IOException) e.getCause();
      }
      throw new IOException("Hadoop's classes could not be patched", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IOException(agentJar + " is not this mprof's agent", e);
    }
  }
}
