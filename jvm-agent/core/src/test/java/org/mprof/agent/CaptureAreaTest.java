package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureAreaTest {
  private static final String JOB = "job_1700000000000_0007";

  @TempDir Path folder;
  private final CaptureCopier copier = new Copying.LocalCopier();

  private CaptureArea of(int task) {
    String id = String.format("attempt_1700000000000_0007_m_%06d_0", task);
    return CaptureArea.of(folder.toUri().toString(), Attempt.of(id, new File(".")));
  }

  @Test
  void aJobGetsAFolderForItsOwnerAloneInAnAreaThatIsOpenToAll() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    CaptureArea area = of(3);
    assertNull(area.admit(copier));
    Path job = folder.resolve(JOB);
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(job)));
    assertEquals(job + "/attempt_1700000000000_0007_m_000003_0/", area.folder().getPath());
  }

  @Test
  void ofAThousandTasksThatFailAtOnceSixteenCopyAndTwoOfThemADump() throws Exception {
    File dump = Files.write(folder.resolve("d.hprof"), new byte[1]).toFile();
    List<Callable<boolean[]>> tasks = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      CaptureArea area = of(i);
      tasks.add(
          () -> {
            boolean admitted = area.admit(copier) == null;
            // Asked again at the next interval, it costs no second place.
            boolean again = area.admit(copier) == null;
            return new boolean[] {
              admitted && again, admitted && area.admitDump(copier, dump) == null
            };
          });
    }
    ExecutorService pool = Executors.newFixedThreadPool(16);
    int attempts = 0;
    int dumps = 0;
    for (Future<boolean[]> each : pool.invokeAll(tasks)) {
      attempts += each.get()[0] ? 1 : 0;
      dumps += each.get()[1] ? 1 : 0;
    }
    pool.shutdown();
    assertEquals(CaptureArea.ATTEMPTS, attempts);
    assertEquals(CaptureArea.DUMPS, dumps);
  }

  @Test
  void nothingIsCopiedWhereAnotherUserCanHavePreparedTheFolder() throws IOException {
    Path job = Files.createDirectory(folder.resolve(JOB));
    Files.setPosixFilePermissions(job, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThrows(IOException.class, () -> of(1).admit(copier));
    Files.delete(job);
    Files.createSymbolicLink(job, Files.createDirectory(folder.resolve("elsewhere")));
    assertThrows(IOException.class, () -> of(1).admit(copier));
    assertEquals(0, folder.resolve("elsewhere").toFile().list().length);
  }

  @Test
  void aMissingAreaIsNotMadeForItWouldBeThisUsersAlone() {
    CaptureArea area =
        CaptureArea.of(
            folder.resolve("gone").toUri().toString(),
            Attempt.of("attempt_1700000000000_0007_m_000001_0", new File(".")));
    assertThrows(IOException.class, () -> area.admit(copier));
    assertFalse(Files.exists(folder.resolve("gone")));
  }

  @Test
  void aFullFileSystemTakesNoDumpAndKeepsNoHalfOne() throws IOException {
    CaptureArea area = of(1);
    assertNull(area.admit(copier));
    CaptureCopier full =
        new Copying.LocalCopier() {
          @Override
          public long[] usedAndUsable(java.net.URI target) {
            return new long[] {79, 21};
          }
        };
    File dump = Files.write(folder.resolve("d.hprof"), new byte[2]).toFile();
    Reason why = area.admitDump(full, dump);
    assertEquals("disk_full 80", why.toString());
    assertFalse(CaptureArea.isSuperfluous(why), "it stays in the container's log folder");
    // What cannot be moved into place must not stay beside it.
    Path taken = Files.createDirectories(folder.resolve("taken/d.hprof/x"));
    assertThrows(
        IOException.class,
        () -> copier.copy(dump, taken.getParent().getParent().toUri(), "d.hprof"));
    assertEquals(Arrays.asList("d.hprof"), Arrays.asList(folder.resolve("taken").toFile().list()));
    assertTrue(dump.exists());
  }
}
