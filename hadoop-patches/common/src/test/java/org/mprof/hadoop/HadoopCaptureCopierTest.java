package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through Hadoop's own client, on its local file system; folders as the agent names them. */
class HadoopCaptureCopierTest {
  @TempDir Path area;
  private HadoopCaptureCopier copier;
  private URI job;

  @BeforeEach
  void asThisUser() throws IOException {
    copier =
        new HadoopCaptureCopier(new Configuration(), UserGroupInformation.getCurrentUser(), null);
    job = URI.create(area.toUri() + "job_1_0001/");
  }

  @Test
  void aJobsFolderIsItsOwnersAlone() throws IOException {
    copier.makePrivate(job);
    copier.makePrivate(job);
    Path made = area.resolve("job_1_0001");
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwx---"));
    assertThrows(IOException.class, () -> copier.makePrivate(job));
  }

  @Test
  void aMissingAreaIsNotMade() {
    URI lost = URI.create(area.toUri() + "gone/job_1_0001/");
    assertThrows(IOException.class, () -> copier.makePrivate(lost));
    assertFalse(Files.exists(area.resolve("gone")));
  }

  @Test
  void oneClaimIsMadeOnce() throws IOException {
    copier.makePrivate(job);
    assertTrue(copier.claim(job, ".dump-1"));
    assertFalse(copier.claim(job, ".dump-1"));
    assertTrue(copier.claim(job, ".dump-2"));
  }

  @Test
  void aCopyIsWholeOrNotThere() throws IOException {
    copier.makePrivate(job);
    URI attempt = job.resolve("attempt_1_0001_m_000003_0/");
    Path file = Files.write(area.resolve("events.jsonl"), new byte[100_000]);
    copier.copy(file.toFile(), attempt, "events.jsonl");
    copier.copy(file.toFile(), attempt, "events.jsonl");
    Path made = Paths.get(attempt.getPath());
    assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(made.resolve("events.jsonl")));
    // A name that is taken by a folder with something in it.
    Files.createDirectories(made.resolve("position.bin/x"));
    assertThrows(IOException.class, () -> copier.copy(file.toFile(), attempt, "position.bin"));
    assertFalse(Files.exists(made.resolve(".position.bin.part")));
  }
}
