import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Lives with a heap that is nearly full while another task of its job makes the dump; prints
 * whether this JVM would then make one as well.
 */
public class Beside {
  private static final List<byte[]> HELD = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    Path claim = Paths.get(arguments[0]);
    Runtime runtime = Runtime.getRuntime();
    do {
      for (int i = 0; i < 8; i++) {
        HELD.add(new byte[1 << 16]);
      }
      System.gc();
    } while (runtime.totalMemory() - runtime.freeMemory() < 0.865 * runtime.maxMemory());
    System.out.println("announced before " + (Files.size(claim) > 0));
    // Process 1 always runs.
    Path dump = Files.createTempFile("beside", ".hprof");
    Files.write(claim, ("1 " + dump + "\n").getBytes(), StandardOpenOption.APPEND);
    long until = System.nanoTime() + 30_000_000_000L;
    while (dumps() && System.nanoTime() < until) {
      Thread.sleep(100);
    }
    System.out.println("dumps " + dumps() + " " + !HELD.isEmpty());
    Files.delete(dump); // it has ended without one
    until = System.nanoTime() + 30_000_000_000L;
    while (!dumps() && System.nanoTime() < until) {
      Thread.sleep(100);
    }
    System.out.println("dumps " + dumps());
    Files.write(claim, "dumped 1\n".getBytes(), StandardOpenOption.APPEND);
    until = System.nanoTime() + 30_000_000_000L;
    while (dumps() && System.nanoTime() < until) {
      Thread.sleep(100);
    }
    System.out.println("dumps " + dumps());
  }

  private static boolean dumps() {
    HotSpotDiagnosticMXBean bean =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    return Boolean.parseBoolean(bean.getVMOption("HeapDumpOnOutOfMemoryError").getValue());
  }
}
