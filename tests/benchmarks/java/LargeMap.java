import java.util.HashMap;
import java.util.Map;

/** Fills one HashMap with as many numbers as its argument says, and waits. */
public final class LargeMap {
  static final Map<Integer, Long> ALL = new HashMap<>();

  private LargeMap() {}

  public static void main(String[] args) throws Exception {
    int entries = Integer.parseInt(args[0]);
    for (int i = 0; i < entries; i++) {
      ALL.put(31 * i, (long) i);
    }
    System.out.println("ready");
    System.out.flush();
    Thread.sleep(3_600_000);
  }
}
