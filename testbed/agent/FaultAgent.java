import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.ChecksumException;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Faults inside the tasks of one node.
 *
 * <p>Every task of every node has the agent. A fault is there while a file of its name lies in the
 * folder {@code faults} of the task's node.
 */
public final class FaultAgent {
  private static final String MAP_HANG = "map-hang";
  private static final String REDUCE_HANG = "reduce-hang";
  private static final String CHECKSUM = "checksum-error";

  /** By class: the methods at whose begin a fault may be, and which fault. */
  private static final Map<String, Place> PLACES =
      Map.of(
          "org/apache/hadoop/mapred/MapTask$NewTrackingRecordReader",
          new Place("nextKeyValue", "hang", MAP_HANG),
          "org/apache/hadoop/mapred/MapTask$TrackedRecordReader",
          new Place("next", "hang", MAP_HANG),
          "org/apache/hadoop/mapreduce/task/reduce/MergeManagerImpl",
          new Place("close", "hang", REDUCE_HANG),
          "org/apache/hadoop/mapreduce/task/reduce/InMemoryMapOutput",
          new Place("doShuffle", "fail", CHECKSUM),
          "org/apache/hadoop/mapreduce/task/reduce/OnDiskMapOutput",
          new Place("doShuffle", "fail", CHECKSUM));

  private static final long LOOK_NANOS = 200_000_000;
  private static final long SLEEP_MILLIS = 200;

  private static volatile File folder;
  private static volatile long lookedNanos = System.nanoTime() - LOOK_NANOS;
  private static volatile Set<String> present = Set.of();

  private record Place(String method, String what, String fault) {}

  private FaultAgent() {}

  /** Called by the JVM before main; the argument is the folder with one folder a node. */
  public static void premain(final String nodes, final Instrumentation instrumentation) {
    folder = new File(new File(nodes, String.valueOf(System.getenv("NM_HOST"))), "faults");
    instrumentation.addTransformer(new Transformer());
  }

  /** Blocks the caller while the fault is there. The thread that reports progress goes on. */
  public static void hang(final String fault) {
    try {
      while (isPresent(fault)) {
        Thread.sleep(SLEEP_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Throws what reading a damaged segment throws, while the fault is there. */
  public static void fail(final String fault) throws IOException {
    if (isPresent(fault)) {
      throw new ChecksumException("Checksum Error", 0);
    }
  }

  private static boolean isPresent(final String fault) {
    final long now = System.nanoTime();
    if (now - lookedNanos >= LOOK_NANOS) {
      lookedNanos = now;
      final String[] names = folder.list();
      present = names == null ? Set.of() : Set.of(names);
    }
    return present.contains(fault);
  }

  private static final class Transformer implements ClassFileTransformer {
    @Override
    public byte[] transform(
        final ClassLoader loader,
        final String name,
        final Class<?> redefined,
        final ProtectionDomain domain,
        final byte[] bytes) {
      final Place place = name == null ? null : PLACES.get(name);
      return place == null ? null : changed(bytes, place);
    }
  }

  private static byte[] changed(final byte[] bytes, final Place place) {
    final ClassReader reader = new ClassReader(bytes);
    final ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              final int access,
              final String name,
              final String descriptor,
              final String signature,
              final String[] exceptions) {
            final MethodVisitor method =
                super.visitMethod(access, name, descriptor, signature, exceptions);
            final boolean isBridge = (access & Opcodes.ACC_SYNTHETIC) != 0;
            return isBridge || !name.equals(place.method()) ? method : calling(method, place);
          }
        },
        0);
    return writer.toByteArray();
  }

  private static MethodVisitor calling(final MethodVisitor method, final Place place) {
    return new MethodVisitor(Opcodes.ASM9, method) {
      @Override
      public void visitCode() {
        super.visitCode();
        visitLdcInsn(place.fault());
        visitMethodInsn(
            Opcodes.INVOKESTATIC, "FaultAgent", place.what(), "(Ljava/lang/String;)V", false);
      }
    };
  }
}
