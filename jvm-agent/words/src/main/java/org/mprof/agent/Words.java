package org.mprof.agent;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import sun.misc.Unsafe;

/**
 * Little-endian words in arrays and in mapped memory, read and written with one instruction each.
 *
 * <p>The hooks do so a dozen times a record. A {@link ByteBuffer} is as fast once it is compiled,
 * but each of its calls is a hundred bytes of byte code to the compiler, in every method they are
 * inlined into: in a task of ten seconds that was most of what the agent cost. It is also an object
 * where the JVM does not replace allocations.
 *
 * <p>Where the JVM does not offer this ({@link #AVAILABLE}), callers have a slower way.
 */
final class Words {
  /** From this release on the JVM warns of each program that uses these methods of Unsafe. */
  private static final int WARNS_FROM = 24;

  private static final Unsafe UNSAFE = unsafe();
  private static final long ARRAY_START = UNSAFE == null ? 0 : Unsafe.ARRAY_BYTE_BASE_OFFSET;
  private static final long ADDRESS_FIELD = addressField();

  /** Whether the other methods may be called. */
  static final boolean AVAILABLE = ADDRESS_FIELD != 0;

  private Words() {}

  /** The word that begins at {@code bytes[at]}; all eight bytes must lie within the array. */
  static long in(byte[] bytes, int at) {
    return UNSAFE.getLong(bytes, ARRAY_START + at);
  }

  /** The same of four bytes, without a sign. */
  static long halfIn(byte[] bytes, int at) {
    return UNSAFE.getInt(bytes, ARRAY_START + at) & 0xffffffffL;
  }

  /** Where a direct buffer begins, which must stay reachable as long as the address is used. */
  static long addressOf(ByteBuffer direct) {
    return UNSAFE.getLong(direct, ADDRESS_FIELD);
  }

  /** Stores a word at an address that is a multiple of eight. */
  static void put(long address, long word) {
    UNSAFE.putLong(address, word);
  }

  /** The word at an address that is a multiple of eight. */
  static long at(long address) {
    return UNSAFE.getLong(address);
  }

  private static Unsafe unsafe() {
    try {
      if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN || !readsAnywhere() || warns()) {
        return null;
      }
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  /** Processors that need no alignment of words; others would trap. */
  private static boolean readsAnywhere() {
    String processor = System.getProperty("os.arch");
    return processor.equals("amd64")
        || processor.equals("x86_64")
        || processor.equals("aarch64")
        || processor.equals("ppc64le");
  }

  private static boolean warns() {
    String release = System.getProperty("java.specification.version");
    return !release.startsWith("1.") && Integer.parseInt(release) >= WARNS_FROM;
  }

  private static long addressField() {
    try {
      return UNSAFE == null
          ? 0
          : UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField("address"));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return 0;
    }
  }
}
