package org.mprof.testing;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Executable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A second agent, for tests: makes the hooks and the file operations of the first one fail.
 *
 * <p>It stands before mprof's agent on the command line and changes the classes of mprof as they
 * load: at the entry of every hook that the table of patches names, and before every call into the
 * classes of {@link #FILES}, stands a call of {@link #hit}. A hook or a file operation that is new
 * is a point by itself. Its argument is a file with a line {@code owner name descriptor} for each
 * hook; a second one, {@code POINT|KIND}, arms a fault from the start of the JVM.
 */
public final class FaultInjector implements ClassFileTransformer {
  /** What happens at a point. */
  public enum Kind {
    RUNTIME,
    /** Only at points that declare it. */
    IO,
    MEMORY,
    STACK,
    LINKAGE,
    /** The call blocks for a while, as on a disk that hangs; only at file operations. */
    DELAY
  }

  /** Fails at each call. */
  static final int EVERY = 0;

  private static final int MOST_POINTS = 4096;

  private static final Set<String> FILES =
      new HashSet<>(
          Arrays.asList(
              "java/io/File",
              "java/io/FileInputStream",
              "java/io/FileOutputStream",
              "java/io/FileReader",
              "java/io/InputStream",
              "java/io/OutputStream",
              "java/io/BufferedReader",
              "java/io/RandomAccessFile",
              "java/nio/channels/FileChannel",
              "java/nio/file/Files",
              "java/nio/MappedByteBuffer",
              "com/sun/management/HotSpotDiagnosticMXBean",
              "org/apache/hadoop/fs/FileSystem",
              "org/apache/hadoop/fs/FSDataInputStream",
              "org/apache/hadoop/fs/FSDataOutputStream"));

  /** Of {@code java.io.File}, what looks at no file. */
  private static final Set<String> NAMES_ONLY =
      new HashSet<>(
          Arrays.asList(
              "<init>", "getName", "getPath", "getParentFile", "getAbsoluteFile", "toPath"));

  private static final String FOR_TESTS = "org/mprof/agent/Events.close";

  private static final List<String> NAMES = new ArrayList<>();
  private static final List<Boolean> DECLARES_IO = new ArrayList<>();
  private static final AtomicIntegerArray CALLS = new AtomicIntegerArray(MOST_POINTS);
  private static final Set<String> HOOKS = new HashSet<>();
  private static String armedName;
  private static volatile int armed = -1;
  private static volatile Kind kind;
  private static volatile int nth;
  private static volatile long delayMs;
  private static volatile int fired;

  private FaultInjector() {}

  public static void premain(String arguments, Instrumentation instrumentation) throws IOException {
    String[] words = arguments.split("\\|");
    HOOKS.addAll(Files.readAllLines(Paths.get(words[0]), StandardCharsets.UTF_8));
    if (words.length > 2) {
      armedName = words[1];
      kind = Kind.valueOf(words[2]);
      nth = EVERY;
      delayMs = 100;
    }
    instrumentation.addTransformer(new FaultInjector());
  }

  /** Called at a point; counts, and fails where it is told to. */
  public static void hit(int point) {
    int calls = CALLS.incrementAndGet(point);
    if (point == armed && (nth == EVERY || nth == calls)) {
      fired++;
      fire();
    }
  }

  private static void fire() {
    switch (kind) {
      case RUNTIME:
        throw new IllegalStateException("injected");
      case IO:
        FaultInjector.<RuntimeException>sneak(new IOException("injected"));
        break;
      case MEMORY:
        throw new OutOfMemoryError("injected");
      case STACK:
        throw new StackOverflowError("injected");
      case LINKAGE:
        throw new NoClassDefFoundError("injected");
      default:
        try {
          Thread.sleep(delayMs);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable error) throws T {
    throw (T) error;
  }

  /** Forgets the counts and, with {@code point} -1, the fault. */
  static void arm(int point, Kind what, int call, long delay) {
    armed = -1;
    for (int i = 0; i < MOST_POINTS; i++) {
      CALLS.set(i, 0);
    }
    fired = 0;
    kind = what;
    nth = call;
    delayMs = delay;
    armed = point;
  }

  static void disarm() {
    armed = -1;
  }

  static int fired() {
    return fired;
  }

  static int calls(int point) {
    return CALLS.get(point);
  }

  static synchronized List<String> names() {
    return new ArrayList<>(NAMES);
  }

  static synchronized boolean allows(int point, Kind what) {
    switch (what) {
      case IO:
        return DECLARES_IO.get(point);
      case DELAY:
        return NAMES.get(point).startsWith("file ");
      default:
        return true;
    }
  }

  private static synchronized int point(String name, boolean declaresIo) {
    NAMES.add(name);
    DECLARES_IO.add(declaresIo);
    if (name.equals(armedName)) {
      armed = NAMES.size() - 1;
    }
    return NAMES.size() - 1;
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (className == null
        || !className.startsWith("org/mprof/")
        || className.startsWith("org/mprof/testing/")
        || className.startsWith("org/mprof/agent/Restarted")) {
      return null;
    }
    try {
      ClassReader reader = new ClassReader(classFile);
      ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
      reader.accept(new Points(writer, className), 0);
      return writer.toByteArray();
    } catch (Throwable e) {
      // Else the JVM would go on without these points, and the test pass without them.
      e.printStackTrace();
      Runtime.getRuntime().halt(99);
      return null;
    }
  }

  private static final class Points extends ClassVisitor {
    private final String owner;
    private final Map<String, Integer> seen = new HashMap<>();

    Points(ClassVisitor next, String owner) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      boolean isHook = HOOKS.contains(owner + " " + name + " " + descriptor);
      boolean declares = exceptions != null && Arrays.asList(exceptions).contains(IO_EXCEPTION);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          super.visitCode();
          if (isHook) {
            insert("hook " + owner + "." + name + descriptor, declares);
          }
        }

        @Override
        public void visitMethodInsn(
            int opcode, String callee, String method, String shape, boolean isInterface) {
          if (FILES.contains(callee)
              && !FOR_TESTS.equals(owner + "." + name)
              && !(callee.equals("java/io/File") && NAMES_ONLY.contains(method))) {
            insert(
                "file " + owner + "." + name + " " + callee + "." + method,
                declaresIo(callee, method, shape));
          }
          super.visitMethodInsn(opcode, callee, method, shape, isInterface);
        }

        private void insert(String point, boolean io) {
          int number = seen.merge(point, 1, Integer::sum);
          super.visitLdcInsn(point(number == 1 ? point : point + " #" + number, io));
          super.visitMethodInsn(
              Opcodes.INVOKESTATIC, "org/mprof/testing/FaultInjector", "hit", "(I)V", false);
        }
      };
    }
  }

  private static final String IO_EXCEPTION = "java/io/IOException";

  private static boolean declaresIo(String callee, String method, String descriptor) {
    if (callee.startsWith("org/apache/hadoop/")) {
      return true;
    }
    try {
      Class<?> type = Class.forName(callee.replace('/', '.'));
      List<Executable> all = new ArrayList<>(Arrays.asList(type.getMethods()));
      all.addAll(Arrays.asList(type.getConstructors()));
      for (Executable each : all) {
        boolean isConstructor = method.equals("<init>");
        boolean named =
            isConstructor
                ? !(each instanceof java.lang.reflect.Method)
                : each.getName().equals(method);
        if (named && Type.getArgumentTypes(descriptor).length == each.getParameterCount()) {
          for (Class<?> thrown : each.getExceptionTypes()) {
            if (IOException.class.isAssignableFrom(thrown)) {
              return true;
            }
          }
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
    return false;
  }
}
