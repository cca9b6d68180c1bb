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
      return (Integer) writer.getMethod("write", File.class).invoke(null, target);
    } catch (InvocationTargetException e) {
      throw new IOException("classes could not be patched: " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IOException(agentJar + " is no agent of this mprof: " + e, e);
    }
  }
}
