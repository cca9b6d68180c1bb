import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Parks virtual threads in stacks of many depths and prints the true size of each stack chunk. */
public final class StackChunks {
  private static final int THREADS = 300;
  private static final List<Thread> ALL = new ArrayList<>();
  private static Instrumentation instrumentation;

  private StackChunks() {}

  public static void premain(String arguments, Instrumentation given) {
    instrumentation = given;
  }

  public static void main(String[] args) throws Exception {
    CountDownLatch parked = new CountDownLatch(THREADS);
    for (int i = 0; i < THREADS; i++) {
      int depth = i % 150;
      ALL.add(Thread.ofVirtual().start(() -> park(depth, parked)));
    }
    parked.await();
    Field continuation = field("java.lang.VirtualThread", "cont");
    Field tail = field("jdk.internal.vm.Continuation", "tail");
    Field parent = field("jdk.internal.vm.StackChunk", "parent");
    Method isEmpty = Class.forName("jdk.internal.vm.StackChunk").getDeclaredMethod("isEmpty");
    isEmpty.setAccessible(true);
    StringBuilder line = new StringBuilder("ready");
    for (Thread thread : ALL) {
      Object chunk = tail.get(continuation.get(thread));
      // On a busy machine some have waited elsewhere before, and have a chunk without frames first.
      while (thread.getState() != Thread.State.WAITING
          || chunk == null
          || (boolean) isEmpty.invoke(chunk)) {
        Thread.sleep(1);
        chunk = tail.get(continuation.get(thread));
      }
      for (; chunk != null; chunk = parent.get(chunk)) {
        line.append(' ').append(instrumentation.getObjectSize(chunk));
      }
    }
    System.out.println(line);
    System.out.flush();
    Thread.sleep(3_600_000);
  }

  private static long park(int depth, CountDownLatch parked) {
    if (depth > 0) {
      return park(depth - 1, parked) + depth;
    }
    parked.countDown();
    while (true) {
      LockSupport.park();
    }
  }

  private static Field field(String owner, String name) throws Exception {
    Field field = Class.forName(owner).getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
