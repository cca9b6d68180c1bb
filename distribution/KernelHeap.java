import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A heap of each kind of object, written to the file named: what kernels are compiled by. */
public class KernelHeap {
  private static final Map<String, int[]> TABLE = new HashMap<>();
  private final List<Object> mixed = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    KernelHeap heap = new KernelHeap();
    TreeMap<Integer, String> tree = new TreeMap<>();
    for (int i = 0; i < 20_000; i++) {
      TABLE.put("key " + i, new int[i % 17 + 400]);
      tree.put(i, "value " + i % 100);
      heap.mixed.add(i % 3 == 0 ? (Object) new long[2] : i % 3 == 1 ? (Object) 1.5 : "text");
    }
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpHeap(arguments[0], Boolean.parseBoolean(arguments[1]));
    System.out.println(heap.mixed.size() + tree.size());
  }
}
