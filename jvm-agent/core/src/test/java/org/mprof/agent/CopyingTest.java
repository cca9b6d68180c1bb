package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyingTest {
  @TempDir Path folder;

  @Test
  void whatAnAreaRefusesIsNotCopiedThoughADumpIsOfferedAtThatMoment() throws Exception {
    Events.open(folder.resolve("events.jsonl").toFile(), 1 << 20);
    Full copier = new Full();
    Copying.use(copier);
    CountDownLatch deleted = new CountDownLatch(1);
    File late =
        new File(Files.createFile(folder.resolve("late.hprof")).toString()) {
          @Override
          public boolean delete() {
            boolean done = super.delete();
            deleted.countDown();
            return done;
          }
        };
    File first =
        new File(Files.createFile(folder.resolve("first.hprof")).toString()) {
          @Override
          public boolean delete() {
            Copying.offer(late);
            return super.delete();
          }
        };
    Attempt attempt = Attempt.of("attempt_1700000000000_0007_m_000003_0", folder.toFile());
    Copying.start(CaptureArea.of("full:///area", attempt), 1);

    Copying.offer(first);

    assertTrue(deleted.await(30, TimeUnit.SECONDS));
    Copying.finish(true); // after the copy that is under way
    assertEquals(Collections.emptyList(), copier.copied);
    assertFalse(first.exists() || late.exists());
    Events.close();
  }

  @Test
  void aTaskMakesNoMoreThanOneChangeAMinuteWhileItRuns() {
    for (int changes = 1; changes < 10; changes++) {
      int copies = 0;
      // A day, told in seconds, with copies as early as they may be.
      for (int second = 0; second < 86_400; second++) {
        if (second * 1000L >= Copying.nextMs(copies, changes)) {
          copies += 2;
          assertTrue((1 + copies * changes) * 60 <= second, copies + " copies at " + second);
        }
      }
      assertTrue(copies * changes > 1440 - 3 * changes, "the budget is used: " + copies);
    }
  }

  /** A file system on which all places are taken. */
  private static final class Full implements CaptureCopier {
    final List<String> copied = new CopyOnWriteArrayList<>();

    @Override
    public boolean accepts(URI target) {
      return "full".equals(target.getScheme());
    }

    @Override
    public boolean isFrugal() {
      return true;
    }

    @Override
    public void copy(File file, URI target, String name) throws IOException {
      copied.add(name);
    }

    @Override
    public void makePrivate(URI target) {}

    @Override
    public boolean claim(URI target, String name) {
      return false;
    }

    @Override
    public long[] usedAndUsable(URI target) {
      return new long[] {0, Long.MAX_VALUE};
    }
  }
}
