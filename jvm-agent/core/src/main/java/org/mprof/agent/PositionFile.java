package org.mprof.agent;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The layout of {@code position.bin}, version 1; see {@code docs/reference/position-file.md}. */
final class PositionFile {
  static final int VERSION = 1;
  static final int BYTES = 512;
  static final int SLOTS_AT = 64;
  static final int ATTEMPT_AT = 384;

  private static final int ATTEMPT_BYTES = BYTES - ATTEMPT_AT;
  private static final byte[] MAGIC = "MPROFPOS".getBytes(StandardCharsets.US_ASCII);

  private static final String[] SLOT_NAMES = {
    "phase",
    "updated_ms",
    "records_in",
    "bytes_in",
    "record_bytes",
    "records_out",
    "bytes_out",
    "group",
    "record_in_group",
    "group_bytes",
    "group_digest",
    "record_digest",
    "partition",
    "spill",
    "progress_ppm",
    "combine_place",
    "combine_call",
    "combine_partition",
    "combine_records_in",
    "combine_total",
    "combine_group",
    "combine_record_in_group",
    "combine_group_bytes",
    "combine_group_digest",
    "combine_record_digest",
    "combine_record_bytes",
    "combine_records_out",
    "map_buffer_bytes",
    "map_buffer_ready",
    "shuffle_limit",
    "shuffle_used",
    "shuffle_in_flight",
    "shuffle_merging",
    "fetched_segments",
    "fetched_bytes",
    "reduce_total",
    "split_length",
    "probes_done",
    "errors",
    "verified"
  };

  private static ByteBuffer current = inMemory();

  private PositionFile() {}

  /** The buffer that {@link Position} is to use; asked once, when that class is initialised. */
  static ByteBuffer current() {
    return current;
  }

  /** Makes {@code buffer} the one of this process; without effect once Position is initialised. */
  static void use(ByteBuffer buffer) {
    current = buffer;
  }

  static String slotName(int slot) {
    return SLOT_NAMES[slot];
  }

  /** Whether a slot holds a digest, which is shown as hexadecimal digits. */
  static boolean isDigest(int slot) {
    return slot == Position.GROUP_DIGEST
        || slot == Position.RECORD_DIGEST
        || slot == Position.COMBINE_GROUP_DIGEST
        || slot == Position.COMBINE_RECORD_DIGEST;
  }

  /** A position that no file backs. */
  static ByteBuffer inMemory() {
    return fill(ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN), "");
  }

  /**
   * Creates the file, in place of an old one, and maps it. An old one is never shortened: another
   * JVM that writes to this folder may have it mapped, and would meet missing pages in whatever
   * code runs there.
   */
  static ByteBuffer map(Path path, String attempt) throws IOException {
    Files.deleteIfExists(path);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      // Written and not only extended: on a full disk a hole would fail with SIGBUS in a later put.
      file.write(new byte[BYTES]);
      ByteBuffer mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
      return fill(mapped.order(ByteOrder.LITTLE_ENDIAN), attempt);
    }
  }

  private static ByteBuffer fill(ByteBuffer buffer, String attempt) {
    for (int i = 0; i < MAGIC.length; i++) {
      buffer.put(i, MAGIC[i]);
    }
    buffer.putInt(8, VERSION);
    buffer.putInt(12, Position.SLOTS);
    for (int slot = 0; slot < Position.SLOTS; slot++) {
      buffer.putLong(SLOTS_AT + (slot << 3), startValue(slot));
    }
    byte[] id = attempt.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < Math.min(id.length, ATTEMPT_BYTES - 1); i++) {
      buffer.put(ATTEMPT_AT + i, id[i]);
    }
    return buffer;
  }

  private static long startValue(int slot) {
    switch (slot) {
      case Position.PHASE:
      case Position.RECORDS_IN:
      case Position.RECORDS_OUT:
      case Position.COMBINE_PLACE:
      case Position.PROBES_DONE:
      case Position.ERRORS:
      case Position.VERIFIED:
        return 0;
      default:
        return Position.UNKNOWN;
    }
  }
}
