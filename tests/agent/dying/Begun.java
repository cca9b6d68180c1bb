import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A task that has begun its work, until the agent has done what it does then; prints the name of
 * each field that the agent has added to the sort buffer of map tasks.
 *
 * <p>Arguments: the attempt, the phase's number, the log of loaded classes, and a class that the
 * agent loads.
 */
public final class Begun {
  private Begun() {}

  public static void main(String[] args) throws Exception {
    Class<?> phase = Class.forName("org.mprof.agent.Phase");
    phase.getMethod("enter", int.class).invoke(null, Integer.parseInt(args[1]));
    Path log = Paths.get(args[2]);
    while (!isLoaded(args[3], log) || !isAsleep("mprof")) {
      LockSupport.parkNanos(10_000_000);
    }
    Files.copy(log, Paths.get(args[2] + ".before"));
    Class<?> buffer = Class.forName("org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
    for (Field field : buffer.getDeclaredFields()) {
      if (field.getName().startsWith("mprof$")) {
        System.out.println(field.getName());
      }
    }
  }

  private static boolean isLoaded(String name, Path log) throws Exception {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8).contains(name + " source:");
  }

  private static boolean isAsleep(String name) {
    for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
      if (each.getKey().getName().equals(name)) {
        StackTraceElement[] stack = each.getValue();
        int of = 0;
        while (of < stack.length && stack[of].getClassName().equals("java.lang.Thread")) {
          of++;
        }
        return of > 0 && of < stack.length && stack[of].getClassName().endsWith(".Ticker");
      }
    }
    return false;
  }
}
