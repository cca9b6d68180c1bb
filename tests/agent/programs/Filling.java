import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.Failures;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;

/**
 * Fills the heap until OutOfMemoryError, as a reducer would; prints what became of it. A resting one
 * waits with half of its heap full until the agent's log, which it is given, has a histogram: how
 * fast a busy machine runs the agent's threads is no part of a test.
 */
public class Filling {
  static final List<byte[]> HELD = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    String kind = arguments[0];
    GroupStatistics groups = new GroupStatistics("reduce");
    groups.register();
    Phase.enter(Phase.REDUCE);
    groups.begin(77);
    try {
      for (long record = 1; ; record++) {
        Position.put(Position.RECORDS_IN, record);
        groups.record(10_000);
        grow(kind, record);
        if (kind.equals("resting") && record == Runtime.getRuntime().maxMemory() / 20_000) {
          rest(Paths.get(arguments[1]));
        }
      }
    } catch (OutOfMemoryError e) {
      Failures.record(e, "reduce", groups.records(), 10_000, 99);
      HELD.clear();
      System.out.println("died at " + groups.records());
    }
  }

  private static void rest(Path log) throws Exception {
    long until = System.nanoTime() + 40_000_000_000L;
    while (System.nanoTime() < until
        && !new String(Files.readAllBytes(log), "UTF-8").contains("\"histogram\"")) {
      System.gc();
      Thread.sleep(100);
    }
  }

  private static void grow(String kind, long record) throws InterruptedException {
    if (kind.equals("heap") || kind.equals("slow") || kind.equals("resting")) {
      HELD.add(new byte[10_000]);
      if (!kind.equals("heap") && record % 20 == 0) {
        Thread.sleep(5);
      }
    } else if (kind.equals("direct")) {
      BUFFERS.add(java.nio.ByteBuffer.allocateDirect(1 << 20));
    } else if (record == 1000) {
      throw new OutOfMemoryError("made by the application");
    }
  }

  static final List<java.nio.ByteBuffer> BUFFERS = new ArrayList<>();
}
