import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.Failures;
import org.mprof.agent.Phase;
import org.mprof.agent.Verify;

/** A record of a verify attempt that needs so many MB while it is worked on, beside 4 MB kept. */
public class Verifying {
  private static final int MB = 1 << 20;
  private static final int ROW_BYTES = 2000;
  private static byte[][] kept;

  public static void main(String[] arguments) {
    Phase.enter(Phase.MAP);
    kept = rows(4 * MB);
    Verify.met(7, -1);
    try {
      System.out.println(work(Integer.parseInt(arguments[0]) * MB) > 0 ? "lived" : "");
    } catch (OutOfMemoryError e) {
      Failures.record(e, "map", 7, 100, -1);
      Verify.failed(e);
      System.out.println("died");
      return;
    }
    Verify.survived();
    // What the ballast had taken is there again.
    System.out.println(rows(40 * MB).length > 0 ? "released" : "");
    Phase.enter(Phase.END);
  }

  private static int work(int bytes) {
    List<byte[]> temporary = new ArrayList<>();
    for (byte[] row : rows(bytes)) {
      temporary.add(row);
    }
    return temporary.size();
  }

  private static byte[][] rows(int bytes) {
    byte[][] rows = new byte[bytes / ROW_BYTES][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new byte[ROW_BYTES];
    }
    return rows;
  }
}
