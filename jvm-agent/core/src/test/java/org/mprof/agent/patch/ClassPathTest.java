package org.mprof.agent.patch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTest {
  @TempDir Path folder;

  /** Loaders share the jars that they open as resources, unless told not to. */
  @Test
  void whoeverReadsTheSameJarGoesOnWhenTheLoaderIsClosed() throws Exception {
    URL jar = jarOf("resource", 100_000).toUri().toURL();
    try (URLClassLoader parent = new URLClassLoader(new URL[] {jar}, null);
        InputStream others = parent.getResourceAsStream("resource")) {
      assertEquals(0, others.read());
      try (URLClassLoader own = new URLClassLoader(new URL[0], parent);
          InputStream in = new ClassPath(own).open("resource")) {
        assertEquals(100_000, PatchArchive.allOf(in).length);
        assertNull(new ClassPath(own).open("absent"));
      }
      assertEquals(99_999, PatchArchive.allOf(others).length);
    }
  }

  private Path jarOf(String name, int bytes) throws IOException {
    Path jar = folder.resolve("a.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      zip.putNextEntry(new ZipEntry(name));
      zip.write(new byte[bytes]);
    }
    return jar;
  }
}
