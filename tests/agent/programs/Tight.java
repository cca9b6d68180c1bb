import java.util.ArrayList;
import java.util.List;

/** Lives on for seconds with hardly any room left in its heap, and says so. */
public class Tight {
  private static final long ROOM = 4_500_000; // 2.2 MB of it a survivor space of 64 MB
  private static final List<byte[]> HELD = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    Runtime runtime = Runtime.getRuntime();
    long held = 0;
    while (true) {
      System.gc();
      long free = runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory() - ROOM;
      if (free <= 0) {
        break;
      }
      for (long bytes = 0; bytes < free * 9 / 10 || bytes == 0; bytes += 10_016) {
        HELD.add(new byte[10_000]);
        held++;
      }
    }
    long sum = 0;
    for (int i = 0; i < 400; i++) {
      sum += new byte[20_000].length;
      Thread.sleep(10);
    }
    System.out.println("lived " + (held > 0 && sum > 0));
  }
}
