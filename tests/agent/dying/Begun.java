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
 * <p>Arguments: the attempt; the phase's number; a file to wait for a text in; and
 * that text. The file is copied before a class is loaded.
 */
public final class Begun {
  private Begun() {}

  public static void main(String[] args) throws Exception {
    Class<?> phase = Class.forName("org.mprof.agent.Phase");
    phase.getMethod("enter", int.class).invoke(null, Integer.parseInt(args[1]));
    Path file = Paths.get(args[2]);
    while (!contains(file, args[3]) || !isAsleep("mprof")) {
      LockSupport.parkNanos(10_000_000);
    }
    Files.copy(file, Paths.get(args[2] + ".before"));
    Class<?> buffer = Class.forName("org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
    for (Field field : buffer.getDeclaredFields()) {
      if (field.getName().startsWith("mprof$")) {
        System.out.println(field.getName());
      }
    }
  }

  private static boolean contains(Path file, String text) throws Exception {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).contains(text);
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
