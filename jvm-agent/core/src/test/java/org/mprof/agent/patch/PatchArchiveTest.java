package org.mprof.agent.patch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

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

  @Test
  void aClassIsTakenAsItIsInTheArchive() throws Exception {
    PatchTransformer transformer = new PatchTransformer(rows, read(archive(original()), table));
    assertArrayEquals(AHEAD, transformer.transform(OWN, SUBJECT, null, null, original()));
    assertEquals("1 0", transformer.ahead() + " " + transformer.here());
  }

  @Test
  void aClassOfAnotherHadoopIsPatchedHere() throws Exception {
    byte[] other = original();
    other[other.length / 2] ^= 1;
    assertPatchedHere(archive(other), table);
  }

  @Test
  void aClassForAnotherAgentOrOtherRowsIsPatchedHere() throws Exception {
    byte[] archive = archive(original());
    assertPatchedHere(archive, PatchArchive.table(8, "line", rows));
    assertPatchedHere(archive, PatchArchive.table(7, "other line", rows));
    List<Patch> later = Arrays.asList(Patch.in(SUBJECT).addField("x", "LX;").because("test"));
    assertPatchedHere(archive, PatchArchive.table(7, "line", later));
  }

  @Test
  void aDamagedArchiveIsNotRead() throws Exception {
    byte[] archive = archive(original());
    int content = new String(archive, StandardCharsets.ISO_8859_1).indexOf("ahead of time");
    byte[] changed = archive.clone();
    changed[content] ^= 1;
    assertThrows(IOException.class, () -> read(changed, table));
    assertThrows(IOException.class, () -> read(Arrays.copyOf(archive, content), table));
  }

  @Test
  void withoutAnArchiveAllArePatchedHere() throws Exception {
    byte[] patched =
        new PatchTransformer(rows, null).transform(OWN, SUBJECT, null, null, original());
    assertArrayEquals(PatchedClass.of(rows, original()).classFile(), patched);
  }

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

  private void assertPatchedHere(byte[] zip, String wanted) throws IOException {
    PatchTransformer transformer = new PatchTransformer(rows, read(zip, wanted));
    byte[] patched = transformer.transform(OWN, SUBJECT, null, null, original());
    assertArrayEquals(PatchedClass.of(rows, original()).classFile(), patched);
    assertEquals("0 1", transformer.ahead() + " " + transformer.here());
  }

  private static PatchArchive read(byte[] zip, String table) throws IOException {
    return PatchArchive.read(new ByteArrayInputStream(zip), table);
  }

  /** An archive for {@link #table} with one class, which is no class file at all. */
  private byte[] archive(byte[] original) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      ZipEntry entry = new ZipEntry(PatchArchive.entry(table, SUBJECT, original));
      CRC32 crc = new CRC32();
      crc.update(AHEAD);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(AHEAD.length);
      entry.setCrc(crc.getValue());
      zip.putNextEntry(entry);
      zip.write(AHEAD);
    }
    return bytes.toByteArray();
  }

  private static byte[] original() throws IOException {
    return PatchTransformerTest.bytes(SUBJECT + ".class");
  }
}
