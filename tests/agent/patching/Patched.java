import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A task that copies the JVM's log of loaded classes, then loads the sort buffer of map tasks and
 * prints the name of each field that the agent has added to it.
 *
 * <p>Arguments: the attempt and the log.
 */
public final class Patched {
  private Patched() {}

  public static void main(String[] args) throws Exception {
    Files.copy(Paths.get(args[1]), Paths.get(args[1] + ".before"));
    Class<?> buffer = Class.forName("org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
    for (Field field : buffer.getDeclaredFields()) {
      if (field.getName().startsWith("mprof$")) {
        System.out.println(field.getName());
      }
    }
  }
}
