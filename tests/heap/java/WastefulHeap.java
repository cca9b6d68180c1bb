import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;

/**
 * A heap with waste of known size under static fields of its own, and class loaders of its own.
 *
 * <p>Argument: the folder of classes. Prints {@code ready PID} and sleeps.
 */
public final class WastefulHeap {
  static final List<Object> EMPTY_MAPS = new ArrayList<>();
  static final List<Object> USED_AND_EMPTY = new ArrayList<>();
  static final List<Object> SINGLE_LISTS = new ArrayList<>();
  static final List<Object> SPARSE_LISTS = new ArrayList<>();
  static final List<Object> SPARSE_SETS = new ArrayList<>();
  static final List<Object> FULL_LISTS = new ArrayList<>();
  static final List<Object> RINGS = new ArrayList<>();
  static final List<Object> VECTORS = new ArrayList<>();
  static final List<Object> BUILDERS = new ArrayList<>();
  static final List<Object> BOXES = new ArrayList<>();
  static final List<Object> TEXTS = new ArrayList<>();
  static final List<Object> COPIES = new ArrayList<>();
  static final List<Object> ZEROS = new ArrayList<>();
  static final Map<Object, Integer> CROWDED = new HashMap<>();
  static final List<Object> KEPT_TWICE = new ArrayList<>();
  static Object keptOnce;
  static final ThreadLocal<Object> OF_THREAD = new ThreadLocal<>();

  static final class Crowded {
    final int number;

    Crowded(int number) {
      this.number = number;
    }

    @Override
    public int hashCode() {
      return 42;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Crowded && ((Crowded) other).number == number;
    }
  }

  /** Loaded again by loaders of its own. */
  public static final class Plugin {
    public static final byte[] DATA = new byte[1000];
    final int[] own = new int[] {1, 2, 3};
  }

  static Object plugin(String folder) throws Exception {
    URL[] places = {new File(folder).toURI().toURL()};
    ClassLoader none = ClassLoader.getSystemClassLoader().getParent();
    return new URLClassLoader(places, none).loadClass("WastefulHeap$Plugin").newInstance();
  }

  public static void main(String[] arguments) throws Exception {
    for (int n = 0; n < 1000; n++) {
      EMPTY_MAPS.add(new HashMap<>());
      ArrayDeque<Object> ring = new ArrayDeque<>(100);
      ring.add("one");
      ring.add("two");
      ring.add("three");
      RINGS.add(ring);
      Map<Object, Object> emptied = new LinkedHashMap<>();
      emptied.put(1, 1);
      emptied.remove(1);
      USED_AND_EMPTY.add(emptied);
      List<Object> single = new ArrayList<>();
      single.add("one");
      SINGLE_LISTS.add(single);
      List<Object> sparse = new ArrayList<>(1000);
      sparse.add("one");
      sparse.add("two");
      SPARSE_LISTS.add(sparse);
      Set<Object> set = new HashSet<>(1000);
      set.add("one");
      set.add("two");
      set.add("three");
      SPARSE_SETS.add(set);
      List<Object> full = new ArrayList<>(3);
      full.add("one");
      full.add("two");
      full.add("three");
      FULL_LISTS.add(full);
      Vector<Object> vector = new Vector<>(8);
      for (int i = 0; i < 4; i++) vector.add("one");
      VECTORS.add(vector);
      StringBuilder builder = new StringBuilder(400);
      builder.append("twenty characters...");
      BUILDERS.add(builder);
      BOXES.add(new Long(1_000_000 + n % 10));
      TEXTS.add(new String(("text number " + n % 4).toCharArray()));
      COPIES.add(new long[] {7, 8, n % 2});
      ZEROS.add(new int[100]);
    }
    for (int n = 0; n < 50; n++) CROWDED.put(new Crowded(n), n);
    keptOnce = plugin(arguments[0]);
    Object twice = plugin(arguments[0]);
    KEPT_TWICE.add(twice);
    KEPT_TWICE.add(new Object[] {twice});
    OF_THREAD.set(plugin(arguments[0]));
    System.out.println("ready " + ProcessHandle.current().pid());
    Thread.sleep(Long.MAX_VALUE);
  }
}
