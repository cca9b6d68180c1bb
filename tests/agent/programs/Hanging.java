import java.util.concurrent.CountDownLatch;
import org.mprof.agent.Ending;

/** A task whose error has left it, and whose main thread then waits for a thread that is gone. */
public class Hanging {
  public static void main(String[] arguments) throws Exception {
    boolean ofMemory = arguments[0].equals("error");
    Ending.certain(ofMemory ? new OutOfMemoryError() : new IllegalStateException());
    CountDownLatch never = new CountDownLatch(1);
    if (ofMemory) {
      never.await();
    }
    // Longer than an attempt that was started for its evidence may hang after an Error.
    never.await(Long.parseLong(arguments[1]), java.util.concurrent.TimeUnit.SECONDS);
    System.out.println("ended by itself");
  }
}
