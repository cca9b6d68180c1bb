import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;

/**
 * Fills its heap up to a few MB and works on in the rest, for so many seconds; where a folder is
 * given, not longer than until a dump lies in it, and five seconds more.
 */
public class Crawling {
  private static final List<byte[]> HELD = new ArrayList<>();

  public static void main(String[] arguments) {
    long free = Long.parseLong(arguments[0]) << 20;
    long seconds = Long.parseLong(arguments[1]);
    Phase.enter(Phase.MAP);
    Position.put(Position.RECORDS_IN, 4711);
    Runtime heap = Runtime.getRuntime();
    do {
      for (int i = 0; i < 200; i++) {
        HELD.add(new byte[1000]);
      }
      if (heap.maxMemory() - heap.totalMemory() + heap.freeMemory() < free + (2 << 20)) {
        System.gc();
      }
    } while (heap.maxMemory() - heap.totalMemory() + heap.freeMemory() > free);
    File folder = arguments.length > 2 ? new File(arguments[2]) : null;
    long until = System.nanoTime() + seconds * 1_000_000_000L;
    long sum = 0;
    while (System.nanoTime() < until) {
      if (folder != null && folder.list((where, name) -> name.endsWith(".hprof")).length > 0) {
        until = System.nanoTime() + 5_000_000_000L;
        folder = null;
      }
      for (byte[] each : HELD) {
        sum += new String(each, 0, 64).length();
      }
    }
    System.out.println("lived " + (sum > 0));
  }
}
