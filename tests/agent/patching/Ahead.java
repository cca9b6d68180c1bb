import java.io.File;
import org.mprof.agent.PatchAhead;

/** Writes the archive of patched classes that the argument names, and prints their number. */
public final class Ahead {
  private Ahead() {}

  public static void main(String[] args) throws Exception {
    System.out.print(PatchAhead.write(new File(args[0])));
  }
}
