package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
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

  @Test
  void aCopyIsCreatedAndRenamedAndNothingElse() throws IOException {
    Configuration conf = new Configuration();
    conf.setClass("fs.counting.impl", Counting.class, FileSystem.class);
    copier = new HadoopCaptureCopier(conf, UserGroupInformation.getCurrentUser(), null);
    URI attempt = URI.create("counting:" + area.resolve("attempt_1_0001_m_000003_0") + "/");
    File file = Files.write(area.resolve("position.bin"), new byte[512]).toFile();
    copier.copy(file, attempt, "position.bin");
    Counting.REQUESTS.clear();

    copier.copy(file, attempt, "position.bin");

    assertEquals(Arrays.asList("create", "replace"), Counting.REQUESTS);
    Path copied = area.resolve("attempt_1_0001_m_000003_0/position.bin");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copied)));
  }

  /** Notes what a name node would be asked to change, but not what one request leads to. */
  public static final class Counting extends RawLocalFileSystem {
    static final List<String> REQUESTS = new ArrayList<>();

    private boolean inside;

    @Override
    public URI getUri() {
      return URI.create("counting:///");
    }

    private <T> T request(String name, Callable<T> action) throws IOException {
      boolean outer = !inside;
      if (outer) {
        REQUESTS.add(name);
      }
      inside = true;
      try {
        return action.call();
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      } finally {
        inside = !outer;
      }
    }

    @Override
    public FSDataOutputStream create(
        org.apache.hadoop.fs.Path file,
        FsPermission permission,
        boolean overwrite,
        int buffer,
        short replicas,
        long block,
        Progressable progress)
        throws IOException {
      return request(
          "create",
          () -> super.create(file, permission, overwrite, buffer, replicas, block, progress));
    }

    @Override
    public boolean mkdirs(org.apache.hadoop.fs.Path folder) throws IOException {
      return request("mkdirs", () -> super.mkdirs(folder));
    }

    @Override
    public boolean mkdirs(org.apache.hadoop.fs.Path folder, FsPermission permission)
        throws IOException {
      return request("mkdirs", () -> super.mkdirs(folder, permission));
    }

    @Override
    public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
      return request("delete", () -> super.delete(path, recursive));
    }

    @Override
    public void setPermission(org.apache.hadoop.fs.Path path, FsPermission permission)
        throws IOException {
      request(
          "setPermission",
          () -> {
            super.setPermission(path, permission);
            return null;
          });
    }

    @Override
    public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to)
        throws IOException {
      return request("rename", () -> super.rename(from, to));
    }

    @Override
    protected void rename(
        org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to, Options.Rename... options)
        throws IOException {
      request(
          "replace",
          () -> {
            super.rename(from, to, options);
            return null;
          });
    }
  }
}
