package org.mprof.testing;

import com.sun.management.VMOption;
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
import java.util.EnumSet;
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
 * A second agent, for tests: makes what the first one does fail.
 *
 * <p>It stands before mprof's agent on the command line and changes the classes of mprof as they
 * load: at the entry of every hook that the table of patches names, before every call into the
 * classes of {@link #FILES}, before each start of a thread, and behind each assignment to a field,
 * stands a call of {@link #hit}; what a hook is handed and what a file operation returns passes
 * through {@link #value}. A hook or a file operation that is new is a point by itself. Its argument
 * is a file with a line {@code owner name descriptor} for each hook; a second one, {@code
 * POINT|KIND}, arms a fault from the start of the JVM.
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
    DELAY,
    /** The same for seconds. */
    HANG,
    /** The point fails, and the next one that the same thread comes to: what clears up, mostly. */
    TWICE,
    /** The heap is full, in earnest, until the hook has come back; the error is the JVM's own. */
    FULL,
    /** No thread can be created; only where one is started. */
    THREAD,
    /** Null instead of an object; of a value that is handed to a hook, or returned by a file. */
    NULL,
    /** -1 instead of a number, and of what is true and false the opposite. */
    NEGATIVE,
    /** The largest number there is. */
    HUGE,
    /** What was there the last time. */
    STALE;

    private static final Set<Kind> OF_VALUES = EnumSet.of(NULL, NEGATIVE, HUGE, STALE);

    boolean isOfValue() {
      return OF_VALUES.contains(this);
    }
  }

  /** Fails at each call. */
  static final int EVERY = 0;

  private static final int MOST_POINTS = 16_384;

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
  private static final List<Set<Kind>> ALLOWED = new ArrayList<>();
  private static final AtomicIntegerArray CALLS = new AtomicIntegerArray(MOST_POINTS);
  private static final Set<String> HOOKS = new HashSet<>();
  private static String armedName;
  private static volatile int armed = -1;
  private static volatile Kind kind;
  private static volatile int nth;
  private static volatile long delayMs;
  private static volatile int fired;

  /** The thread whose next point fails too. */
  private static volatile Thread again;

  /** What a value was at the last call, while it is armed. */
  private static Object last;

  /** Milliseconds that threads of the task were kept by a fault. */
  private static volatile long keptMs;

  /** The same of threads of the agent's and the JVM's. */
  private static volatile long keptBesideMs;

  private static final Object[] FILLING = new Object[65_536];

  /** The thread whose hook has filled the heap; others that come to an end do not empty it. */
  private static volatile Thread filler;

  private FaultInjector() {}

  public static void premain(String arguments, Instrumentation instrumentation) throws IOException {
    String[] words = arguments.split("\\|");
    HOOKS.addAll(Files.readAllLines(Paths.get(words[0]), StandardCharsets.UTF_8));
    if (words.length > 2) {
      armedName = words[1];
      kind = Kind.valueOf(words[2]);
      nth = kind.isOfValue() || kind == Kind.HANG ? 1 : EVERY;
      delayMs = kind == Kind.HANG ? 2000 : 100;
    }
    instrumentation.addTransformer(new FaultInjector());
  }

  /** Called at a point; counts, and fails where it is told to. */
  public static void hit(int point) {
    int calls = CALLS.incrementAndGet(point);
    if (again != null && again == Thread.currentThread()) {
      again = null;
      throw new IllegalStateException("injected once more");
    }
    if (point == armed && (nth == EVERY || nth == calls)) {
      fired++;
      fire();
    }
  }

  private static void fire() {
    switch (kind) {
      case RUNTIME:
        throw new IllegalStateException("injected");
      case TWICE:
        again = Thread.currentThread();
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
      case THREAD:
        // As the JVM says it.
        throw new OutOfMemoryError(
            "unable to create native thread: possibly out of memory or process/resource limits"
                + " reached");
      case FULL:
        if (!isInHook()) {
          // The task, or this test, would meet it elsewhere.
          throw new OutOfMemoryError("Java heap space");
        }
        fill();
        break;
      default:
        sleep();
    }
  }

  private static void sleep() {
    long begun = System.nanoTime();
    try {
      Thread.sleep(delayMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kept((System.nanoTime() - begun) / 1_000_000);
  }

  private static synchronized void kept(long ms) {
    if (isOfTask(Thread.currentThread())) {
      keptMs += ms;
    } else {
      keptBesideMs += ms;
    }
  }

  /** Neither one of the agent's nor of the JVM, which reports collections. */
  private static boolean isOfTask(Thread thread) {
    ThreadGroup group = thread.getThreadGroup();
    return !thread.getName().startsWith("mprof")
        && (group == null || !group.getName().equals("system"));
  }

  /** Whether this thread is in a hook, which has its end. */
  private static boolean isInHook() {
    for (StackTraceElement each : Thread.currentThread().getStackTrace()) {
      if (each.getMethodName().startsWith("mprof$hook$")) {
        return true;
      }
    }
    return false;
  }

  /** Fills the heap to its last bytes. */
  private static void fill() {
    long begun = System.nanoTime();
    filler = Thread.currentThread();
    OutOfMemoryError error = null;
    int at = 0;
    for (int bytes = 1 << 20; bytes >= 32; bytes >>= 4) {
      try {
        while (at < FILLING.length) {
          FILLING[at] = new byte[bytes];
          at++;
        }
      } catch (OutOfMemoryError e) {
        error = e;
      }
    }
    kept((System.nanoTime() - begun) / 1_000_000);
    if (error != null) {
      throw error;
    }
  }

  /** Called where a hook, or what reports its fault, has come to its end. */
  public static void release() {
    if (filler == Thread.currentThread()) {
      Arrays.fill(FILLING, null);
      filler = null;
    }
  }

  /** What a hook is handed, or a file operation has returned; another value if told so. */
  public static Object value(Object value, int point) {
    if (!isTurn(point)) {
      return value;
    }
    Object before = last;
    last = value;
    if (!isNow(point)) {
      return value;
    }
    fired++;
    return kind == Kind.STALE ? before : null;
  }

  public static long value(long value, int point) {
    if (!isTurn(point)) {
      return value;
    }
    Object before = last;
    last = value;
    if (!isNow(point)) {
      return value;
    }
    fired++;
    switch (kind) {
      case NEGATIVE:
        return -1;
      case HUGE:
        return Long.MAX_VALUE;
      default:
        return before instanceof Long ? (Long) before : 0;
    }
  }

  public static int value(int value, int point) {
    long other = value((long) value, point);
    return (int) Math.min(other, Integer.MAX_VALUE);
  }

  public static boolean value(boolean value, int point) {
    long own = value ? 1 : 0;
    long other = value(own, point);
    return other == own ? value : !value;
  }

  /** Counts; whether that point is armed. */
  private static boolean isTurn(int point) {
    CALLS.incrementAndGet(point);
    return point == armed;
  }

  private static boolean isNow(int point) {
    return nth == EVERY || nth == CALLS.get(point);
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
    again = null;
    last = null;
    keptMs = 0;
    keptBesideMs = 0;
    kind = what;
    nth = call;
    delayMs = delay;
    armed = point;
  }

  static void disarm() {
    armed = -1;
    again = null;
    last = null;
    release();
  }

  static int fired() {
    return fired;
  }

  static long keptMs() {
    return keptMs;
  }

  static long keptBesideMs() {
    return keptBesideMs;
  }

  static int calls(int point) {
    return CALLS.get(point);
  }

  static synchronized List<String> names() {
    return new ArrayList<>(NAMES);
  }

  /** The kinds of fault that there can be at a point. */
  static synchronized Set<Kind> allowed(int point) {
    return ALLOWED.get(point);
  }

  private static synchronized int point(String name, Set<Kind> allowed) {
    NAMES.add(name);
    ALLOWED.add(allowed);
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
      boolean ends = isHook || (owner + "." + name).equals(AT_FAULT);
      String method = owner + "." + name;
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          super.visitCode();
          if (isHook) {
            insert("hook " + method + descriptor, thrown(declares, Kind.FULL));
            replaceArguments();
          }
        }

        /** But not the value that a hook may replace: what it says of that is the task's. */
        private void replaceArguments() {
          boolean replaces = Type.getReturnType(descriptor).getSort() != Type.VOID;
          Type[] arguments = Type.getArgumentTypes(descriptor);
          int slot = 0;
          for (int i = 0; i < arguments.length; i++) {
            Type type = arguments[i];
            if (i > 0 || !replaces) {
              super.visitVarInsn(type.getOpcode(Opcodes.ILOAD), slot);
              if (pass("argument " + i + " " + method + descriptor, type)) {
                super.visitVarInsn(type.getOpcode(Opcodes.ISTORE), slot);
              } else {
                super.visitInsn(type.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
              }
            }
            slot += type.getSize();
          }
        }

        @Override
        public void visitInsn(int opcode) {
          if (ends && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, INJECTOR, "release", "()V", false);
          }
          super.visitInsn(opcode);
        }

        @Override
        public void visitFieldInsn(int opcode, String of, String field, String shape) {
          super.visitFieldInsn(opcode, of, field, shape);
          if ((opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC)
              && !FOR_TESTS.equals(method)) {
            insert("state " + method + " " + field, thrown(false, Kind.FULL));
          }
        }

        @Override
        public void visitMethodInsn(
            int opcode, String callee, String called, String shape, boolean isInterface) {
          boolean isFile =
              FILES.contains(callee)
                  && !FOR_TESTS.equals(method)
                  && !(callee.equals("java/io/File") && NAMES_ONLY.contains(called));
          if (isFile) {
            insert(
                "file " + method + " " + callee + "." + called,
                thrown(declaresIo(callee, called, shape), Kind.DELAY, Kind.HANG));
          }
          if (opcode == Opcodes.INVOKEVIRTUAL && called.equals("start") && shape.equals("()V")) {
            insert("thread " + method + " " + callee, EnumSet.of(Kind.THREAD));
          }
          super.visitMethodInsn(opcode, callee, called, shape, isInterface);
          if (callee.equals(OPTIONS) && called.equals("getVMOption")) {
            super.visitMethodInsn(
                Opcodes.INVOKESTATIC,
                INJECTOR,
                "asAtStart",
                "(Lcom/sun/management/VMOption;)Lcom/sun/management/VMOption;",
                false);
          }
          if (isFile) {
            pass("value " + method + " " + callee + "." + called, Type.getReturnType(shape));
          }
        }

        private void insert(String point, Set<Kind> kinds) {
          super.visitLdcInsn(point(numbered(point), kinds));
          super.visitMethodInsn(Opcodes.INVOKESTATIC, INJECTOR, "hit", "(I)V", false);
        }

        /** Passes the value on the stack through {@link #value}; whether it is of a type for it. */
        private boolean pass(String point, Type type) {
          String shape;
          Set<Kind> kinds = EnumSet.of(Kind.STALE, Kind.NEGATIVE, Kind.HUGE);
          switch (type.getSort()) {
            case Type.INT:
            case Type.LONG:
              shape = type.getDescriptor();
              break;
            case Type.BOOLEAN:
              shape = "Z";
              kinds = EnumSet.of(Kind.NEGATIVE);
              break;
            case Type.OBJECT:
            case Type.ARRAY:
              shape = "Ljava/lang/Object;";
              kinds = EnumSet.of(Kind.NULL, Kind.STALE);
              break;
            default:
              return false;
          }
          super.visitLdcInsn(point(numbered(point), kinds));
          super.visitMethodInsn(
              Opcodes.INVOKESTATIC, INJECTOR, "value", "(" + shape + "I)" + shape, false);
          if (shape.length() > 1) {
            super.visitTypeInsn(Opcodes.CHECKCAST, type.getInternalName());
          }
          return true;
        }

        private String numbered(String point) {
          int number = seen.merge(point, 1, Integer::sum);
          return number == 1 ? point : point + " #" + number;
        }
      };
    }
  }

  private static Set<Kind> thrown(boolean declaresIo, Kind... more) {
    Set<Kind> kinds = EnumSet.of(Kind.RUNTIME, Kind.MEMORY, Kind.STACK, Kind.LINKAGE, Kind.TWICE);
    if (declaresIo) {
      kinds.add(Kind.IO);
    }
    kinds.addAll(Arrays.asList(more));
    return kinds;
  }

  /** An option as the JVM began with it, though the agent has set it for an earlier task. */
  public static VMOption asAtStart(VMOption now) {
    String value = now.getName().equals("HeapDumpOnOutOfMemoryError") ? "false" : now.getValue();
    return new VMOption(now.getName(), value, now.isWriteable(), VMOption.Origin.DEFAULT);
  }

  private static final String INJECTOR = "org/mprof/testing/FaultInjector";
  private static final String OPTIONS = "com/sun/management/HotSpotDiagnosticMXBean";

  /** Comes back to the wrapper of a hook that has failed. */
  private static final String AT_FAULT = "org/mprof/agent/Faults.inHook";

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
