import java.nio.CharBuffer;

/**
 * Fills the heap with strings of a buffer. Their method has a catch clause of its own, of a class
 * that no task has loaded: the JVM loads it while the error is on its way, in the full heap.
 */
public final class CaughtOnTheWay {
  private static final int PER_PAUSE = 1000;
  private static final long PAUSE_NANOS = 3_000_000;

  private CaughtOnTheWay() {}

  public static void main(String[] args) {
    CharBuffer buffer = CharBuffer.wrap("a word of a page".toCharArray());
    Object[] kept = new Object[1_000_000];
    try {
      for (int i = 0; ; i++) {
        kept[i] = buffer.toString();
        if (i % PER_PAUSE == 0) {
          work(); // as fast as a mapper fills its heap, not faster
        }
      }
    } catch (OutOfMemoryError e) {
      kept = null;
    }
    System.out.println("died");
  }

  private static void work() {
    long until = System.nanoTime() + PAUSE_NANOS;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }
}
