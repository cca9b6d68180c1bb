package org.mprof.agent.patch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a task takes from an archive of patched classes, and what it patches itself. */
class PatchArchiveTest {
  private static final String SUBJECT = "org/mprof/agent/patch/Subject";
  private static final ClassLoader OWN = PatchTransformer.class.getClassLoader();
  private static final byte[] AHEAD = "patched ahead of time".getBytes(StandardCharsets.US_ASCII);

  private final List<Patch> rows =
      Arrays.asList(
          Patch.in(SUBJECT)
              .method("nothing")
              .onEnter()
              .call(Hooks.NAME, "none", "()V")
              .because("test"));
  private final String table = PatchArchive.table(7, "line", rows);

  @TempDir Path folder;

  @Test
  void aClassIsTakenAsItIsInTheArchive() throws Exception {
    try (PatchArchive archive = new PatchArchive(archive(original()), table)) {
      PatchTransformer transformer = new PatchTransformer(rows, archive);
      assertArrayEquals(AHEAD, transformer.transform(OWN, SUBJECT, null, null, original()));
      assertEquals("1 0", transformer.ahead() + " " + transformer.here());
    }
  }

  @Test
  void aClassOfAnotherHadoopIsPatchedHere() throws Exception {
    byte[] other = original();
    other[other.length / 2] ^= 1;
    assertPatchedHere(archive(other), table);
  }

  @Test
  void aClassForAnotherAgentOrOtherRowsIsPatchedHere() throws Exception {
    File archive = archive(original());
    assertPatchedHere(archive, PatchArchive.table(8, "line", rows));
    assertPatchedHere(archive, PatchArchive.table(7, "other line", rows));
    List<Patch> later = Arrays.asList(Patch.in(SUBJECT).addField("x", "LX;").because("test"));
    assertPatchedHere(archive, PatchArchive.table(7, "line", later));
  }

  @Test
  void aDamagedClassIsPatchedHere() throws Exception {
    File archive = archive(original());
    String content = new String(Files.readAllBytes(archive.toPath()), StandardCharsets.ISO_8859_1);
    try (RandomAccessFile file = new RandomAccessFile(archive, "rw")) {
      file.seek(content.indexOf("ahead of time"));
      file.write('A');
    }
    try (PatchArchive damaged = new PatchArchive(archive, table)) {
      assertThrows(IOException.class, () -> damaged.find(SUBJECT, original()));
    }
    assertPatchedHere(archive, table);
  }

  @Test
  void withoutAnArchiveAllArePatchedHere() throws Exception {
    byte[] patched =
        new PatchTransformer(rows, null).transform(OWN, SUBJECT, null, null, original());
    assertArrayEquals(PatchedClass.of(rows, original()).classFile(), patched);
  }

  /** An archive takes no class in which a row is missed, so that a task tells of it. */
  @Test
  void aRowThatIsMissedIsToldUnlessThatWasExpected() throws Exception {
    assertEquals(1, missed(Patch.in(SUBJECT).method("absent").onEnter()));
    assertEquals(0, missed(Patch.in(SUBJECT).method("absent").optional().onEnter()));
    assertEquals(0, missed(Patch.in(SUBJECT).method("nothing").onEnter()));
  }

  private int missed(Patch.Builder row) throws IOException {
    Patch patch = row.call(Hooks.NAME, "none", "()V").because("test");
    return PatchedClass.of(Arrays.asList(patch), original()).missed().size();
  }

  private void assertPatchedHere(File file, String wanted) throws IOException {
    try (PatchArchive archive = new PatchArchive(file, wanted)) {
      PatchTransformer transformer = new PatchTransformer(rows, archive);
      byte[] patched = transformer.transform(OWN, SUBJECT, null, null, original());
      assertArrayEquals(PatchedClass.of(rows, original()).classFile(), patched);
      assertEquals("0 1", transformer.ahead() + " " + transformer.here());
    }
  }

  /** An archive for {@link #table} with one class, by the format that its users rely on. */
  private File archive(byte[] original) throws IOException {
    File file = Files.createTempFile(folder, "patched", ".zip").toFile();
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file.toPath()))) {
      ZipEntry entry = new ZipEntry(PatchArchive.entry(table, SUBJECT, original));
      CRC32 crc = new CRC32();
      crc.update(AHEAD);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(AHEAD.length);
      entry.setCrc(crc.getValue());
      zip.putNextEntry(entry);
      zip.write(AHEAD);
    }
    return file;
  }

  private static byte[] original() throws IOException {
    return PatchTransformerTest.bytes(SUBJECT + ".class");
  }
}
