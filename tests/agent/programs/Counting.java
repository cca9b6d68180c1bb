import org.mprof.agent.Position;

/** Counts records in the position file, says so, and goes on until it is killed. */
public class Counting {
  public static void main(String[] arguments) throws Exception {
    Position.put(Position.PHASE, 3);
    for (long record = 1; ; record++) {
      Position.put(Position.RECORDS_IN, record);
      if (record == 1_000_000) {
        System.out.println("counted");
        System.out.flush();
      }
      if (record >= 1_000_000) {
        Thread.sleep(1);
      }
    }
  }
}
