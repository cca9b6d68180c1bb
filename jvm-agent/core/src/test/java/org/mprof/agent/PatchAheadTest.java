package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.patch.ClassPath;
import org.mprof.agent.patch.Patch;

class PatchAheadTest {
  private static final String PACKAGE = "org/mprof/agent/patch/";

  @TempDir Path folder;

  private static Patch row(String className, String method) {
    return Patch.in(className)
        .method(method)
        .onEnter()
        .call(PACKAGE + "Hooks", "none", "()V")
        .because("test");
  }

  /** So that a task reports the row: it patches such a class itself. */
  @Test
  void aClassInWhichARowMissesItsTargetIsLeftOut() throws Exception {
    List<Patch> rows =
        Arrays.asList(
            row(PACKAGE + "Subject", "nothing"),
            row(PACKAGE + "Hooks", "none"),
            row(PACKAGE + "Hooks", "noSuchMethod"),
            row("no/such/Hadoop", "nothing"));
    File target = folder.resolve("patched.zip").toFile();
    ClassPath classPath = new ClassPath(getClass().getClassLoader());

    assertEquals(1, PatchAhead.write(target, rows, "table/", classPath));

    try (ZipFile zip = new ZipFile(target)) {
      String name = Collections.list(zip.entries()).get(0).getName();
      assertTrue(name.startsWith("table/" + PACKAGE + "Subject/"), name);
      assertEquals(1, zip.size());
    }
  }
}
