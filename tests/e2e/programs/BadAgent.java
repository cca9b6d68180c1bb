import java.util.ArrayList;
import java.util.List;

/** An agent that is bad on purpose: of ten tasks it lets nine die before they have begun. */
public class BadAgent {
  public static void premain(String arguments) {
    String id = System.getenv("CONTAINER_ID");
    int number = Integer.parseInt(id.substring(id.lastIndexOf('_') + 1));
    switch (number % 10) {
      case 0:
        return;
      case 1:
      case 2:
        System.exit(1);
        return;
      case 3:
      case 4:
        Runtime.getRuntime().halt(134);
        return;
      case 5:
      case 6:
        List<long[]> all = new ArrayList<>();
        while (true) {
          all.add(new long[1 << 20]);
        }
      default:
        throw new IllegalStateException("bad on purpose");
    }
  }
}
