package org.mprof.agent;

import java.io.File;
import java.io.IOException;
import java.net.URI;

/**
 * Copies files to a capture folder on some file system. The agent itself copies to {@code file:};
 * hadoop-patches registers one that uses Hadoop's FileSystem ({@link Copying#use}).
 *
 * <p>{@link #copy} is called from one daemon thread, {@link #failed} from any.
 */
public interface CaptureCopier {
  /** Whether this copier can write to that folder now. */
  boolean accepts(URI folder);

  /**
   * Copies a file under a name into a folder, making the folder where it is missing.
   *
   * <p>A reader must see the old content or the new one, never a part: write beside it and rename.
   *
   * @param file what to copy; it may grow meanwhile, its size at the start is enough
   * @param folder target folder
   * @param name name of the file there
   * @throws IOException where the copy failed; reported once, and tried again later
   */
  void copy(File file, URI folder, String name) throws IOException;

  /**
   * Makes a folder that this user alone may enter, in one that must be there.
   *
   * @throws IOException also where a folder of that name is another user's, or open to others
   */
  void makePrivate(URI folder) throws IOException;

  /** Makes an empty file; false where one of that name is there already. */
  boolean claim(URI folder, String name) throws IOException;

  /** Bytes in use and bytes still to be had on the file system of a folder that is there. */
  long[] usedAndUsable(URI folder) throws IOException;

  /** Bytes that a file of one byte takes there: the number of its replicas. */
  default int replicas(URI folder) throws IOException {
    return 1;
  }

  /**
   * Changes of what a name node keeps, for each file that is copied; 0 where there is no name node.
   */
  default int changesPerFile() {
    return 0;
  }

  /** Whether a large file takes next to no heap, so that it may be copied while the task runs. */
  default boolean isFrugal() {
    return false;
  }

  /** Whether it calls {@link Copying#moved} as it copies there, so that a hang can be told. */
  default boolean tellsProgress(URI folder) {
    return false;
  }

  /** The task has failed, perhaps of memory: gives up what was set aside for the copies. */
  default void failed() {}
}
