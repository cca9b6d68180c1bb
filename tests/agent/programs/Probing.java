import org.mprof.agent.Phase;
import org.mprof.agent.Probes;

/** Goes through forty records, past the probes of the plan. */
public class Probing {
  public static void main(String[] arguments) {
    Phase.enter(Phase.MAP);
    for (long record = 1; record <= 40; record++) {
      Probes.beforeRecord(record);
    }
    Phase.enter(Phase.END);
  }
}
