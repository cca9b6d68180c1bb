package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.mprof.agent.patch.Applied;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchModule;
import org.mprof.agent.patch.Value;
import org.objectweb.asm.Type;

/** The table of a line against the stock classes of the Hadoop on the class path. */
abstract class AbstractTableTest {
  private static final String HOOKS = "org/mprof/testing/Hooks";

  /** The line whose rows are tested. */
  abstract PatchModule line();

  @Test
  void everyRowFindsItsTarget() throws IOException {
    List<String> missed = new ArrayList<>();
    for (Map.Entry<String, List<Patch>> each : byClass().entrySet()) {
      byte[] stock = stock(each.getKey());
      if (stock == null) {
        each.getValue().stream()
            .filter(row -> !Applied.mayMiss(row))
            .map(Patch::toString)
            .forEach(missed::add);
      } else {
        missed.addAll(Applied.to(stock, each.getValue()).missed);
      }
    }
    assertEquals(Collections.emptyList(), missed);
  }

  @Test
  void aRowWithoutItsTargetIsReported() throws IOException {
    String owner = "org/apache/hadoop/mapred/MapTask";
    Patch wrong =
        Patch.in(owner)
            .method("runNewMapper")
            .afterCall("org/apache/hadoop/mapreduce/Mapper", "runs", null)
            .call(HOOKS, "returned", "()V")
            .because("a mistake");
    Patch right =
        Patch.in(owner)
            .method("runNewMapper")
            .onThrow()
            .call(HOOKS, "failed", "(Ljava/lang/Throwable;)V", Value.thrown())
            .because("as it should be");
    List<String> missed = Applied.to(stock(owner), Arrays.asList(wrong, right)).missed;
    assertEquals(1, missed.size(), missed.toString());
    assertTrue(missed.get(0).startsWith(wrong.toString()), missed.get(0));
  }

  @Test
  void everyHookIsAPublicStaticMethodOfItsDescriptor() throws ClassNotFoundException {
    for (Patch row : line().patches()) {
      if (row.hookOwner() == null) {
        continue;
      }
      Class<?> owner = Class.forName(row.hookOwner().replace('/', '.'));
      long found =
          Arrays.stream(owner.getMethods())
              .filter(m -> m.getName().equals(row.hookName()))
              .filter(m -> Type.getMethodDescriptor(m).equals(row.hookDescriptor()))
              .filter(m -> Modifier.isStatic(m.getModifiers()))
              .count();
      assertEquals(1, found, row.toString());
      assertTrue(Modifier.isPublic(owner.getModifiers()), row.toString());
    }
  }

  @Test
  void patchedClassesPassTheVerifier() throws Exception {
    Loader loader = new Loader();
    for (String name : byClass().keySet()) {
      if (stock(name) != null) {
        // Initialising it is what verifies it.
        Class<?> patched = Class.forName(name.replace('/', '.'), true, loader);
        assertEquals(loader, patched.getClassLoader());
      }
    }
  }

  @Test
  void makingTheTableLoadsNoHadoopClass() throws Exception {
    TreeSet<String> loaded = new TreeSet<>();
    ClassLoader watching =
        new Loader() {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("org.apache.hadoop.")) {
              loaded.add(name);
            }
            return super.findClass(name);
          }
        };
    Class<?> module = Class.forName(line().getClass().getName(), true, watching);
    Object rows = module.getMethod("patches").invoke(module.getConstructor().newInstance());
    assertFalse(((List<?>) rows).isEmpty());
    assertEquals(Collections.emptySet(), loaded);
  }

  @Test
  void everyRowSaysSinceWhenAndWhy() {
    for (Patch row : line().patches()) {
      assertNotNull(row.reason(), row.toString());
      assertFalse(row.reason().isEmpty(), row.toString());
      assertTrue(row.since() != null || Applied.mayMiss(row), row.toString());
    }
  }

  private Map<String, List<Patch>> byClass() {
    return Patch.byClass(line().patches());
  }

  private static byte[] stock(String internalName) throws IOException {
    try (InputStream in =
        AbstractTableTest.class.getClassLoader().getResourceAsStream(internalName + ".class")) {
      if (in == null) {
        return null;
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
      }
      return out.toByteArray();
    }
  }

  /** Loads Hadoop and mprof anew, Hadoop patched. */
  private class Loader extends ClassLoader {
    Loader() {
      super(AbstractTableTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        if (known != null) {
          return known;
        }
        boolean mine = name.startsWith("org.apache.hadoop.") || name.startsWith("org.mprof.");
        return mine ? findClass(name) : super.loadClass(name, resolve);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      try {
        String internalName = name.replace('.', '/');
        byte[] stock = stock(internalName);
        if (stock == null) {
          throw new ClassNotFoundException(name);
        }
        List<Patch> rows = byClass().get(internalName);
        byte[] patched = rows == null ? stock : Applied.to(stock, rows).classFile;
        return defineClass(name, patched, 0, patched.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
