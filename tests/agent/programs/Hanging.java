import java.util.concurrent.CountDownLatch;
import org.mprof.agent.Ending;

/** A task whose error has left it, and whose main thread then waits for a thread that is gone. */
public class Hanging {
  public static void main(String[] arguments) throws Exception {
    boolean ofMemory = arguments[0].equals("error");
    Object task = new Object();
    Ending.began(task, arguments[arguments.length - 1]);
    // Of a job that the task's code runs in the same JVM: that fails, and the task goes on.
    Ending.left(new Object(), new OutOfMemoryError());
    Ending.left(task, ofMemory ? new OutOfMemoryError() : new IllegalStateException());
    CountDownLatch never = new CountDownLatch(1);
    if (ofMemory) {
      never.await();
    }
    // Longer than an attempt that was started for its evidence may hang after an Error.
    never.await(Long.parseLong(arguments[1]), java.util.concurrent.TimeUnit.SECONDS);
    System.out.println("ended by itself");
  }
}
