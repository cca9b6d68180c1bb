import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;

/**
 * What the NetBeans heap library, which VisualVM shares, says of every instance of a dump.
 *
 * <p>Arguments: dump, file to write. Writes identifier, size and retained size of each instance in
 * turn, 8 bytes each, most significant first.
 */
public final class RetainedSizes {
  private RetainedSizes() {}

  public static void main(String[] args) throws Exception {
    long start = System.nanoTime();
    Heap heap = HeapFactory.createHeap(new File(args[0]));
    heap.getSummary();
    if (args.length > 1) {
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(new FileOutputStream(args[1])))) {
        for (Instance instance : heap.getAllInstances()) {
          out.writeLong(instance.getInstanceId());
          out.writeLong(instance.getSize());
          out.writeLong(instance.getRetainedSize());
        }
      }
    } else {
      System.out.println(heap.getBiggestObjectsByRetainedSize(50).size());
    }
    System.err.printf("%.1f s%n", (System.nanoTime() - start) / 1e9);
  }
}
