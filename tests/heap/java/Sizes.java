import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fills a heap with many shapes of objects and prints the true size of each shape. */
public final class Sizes {
  static class Empty {}

  static class OneByte {
    byte a;
  }

  static class TwoLevels extends OneByte {
    byte b;
  }

  static class IntThenByteLevels extends TwoLevels {
    int c;
    short d;
  }

  static class LongAfterInt {
    int a;
    long b;
    boolean c;
  }

  static class RefsOverLongs extends LongAfterInt {
    Object x;
    Object y;
    long z;
  }

  static class DeepReferences extends RefsOverLongs {
    char q;
    Object w;
    double v;
    byte u;
  }

  static class References {
    Object a;
    Object b;
    Object c;
  }

  static class Mixed extends References {
    byte a1;
    long l1;
    float f1;
  }

  static final List<Object> KEPT = new ArrayList<>();
  private static Instrumentation instrumentation;

  private Sizes() {}

  public static void premain(String arguments, Instrumentation given) {
    instrumentation = given;
  }

  public static void main(String[] args) throws Exception {
    Class<?>[] shapes = {
      Empty.class, OneByte.class, TwoLevels.class, IntThenByteLevels.class, LongAfterInt.class,
      RefsOverLongs.class, DeepReferences.class, References.class, Mixed.class,
    };
    Map<String, Long> sizes = new HashMap<>();
    for (Class<?> shape : shapes) {
      Object[] all = new Object[200];
      for (int i = 0; i < all.length; i++) {
        all[i] = shape.getDeclaredConstructor().newInstance();
      }
      KEPT.add(all);
      note(sizes, all[0]);
    }
    for (int length = 0; length < 12; length++) {
      Object[] all = new Object[9 * 20];
      for (int i = 0; i < all.length; i += 9) {
        all[i] = new boolean[length];
        all[i + 1] = new byte[length];
        all[i + 2] = new char[length];
        all[i + 3] = new short[length];
        all[i + 4] = new int[length];
        all[i + 5] = new float[length];
        all[i + 6] = new long[length];
        all[i + 7] = new double[length];
        all[i + 8] = new Empty[length];
      }
      KEPT.add(all);
      for (int i = 0; i < 9; i++) {
        note(sizes, all[i]);
      }
    }
    note(sizes, new String("text"));
    note(sizes, Integer.valueOf(1));
    note(sizes, Long.valueOf(1));
    note(sizes, new HashMap<>());
    note(sizes, new ArrayList<>());
    note(sizes, Thread.currentThread());
    note(sizes, ClassLoader.getSystemClassLoader());
    note(sizes, new Object());
    StringBuilder line = new StringBuilder("ready");
    for (Map.Entry<String, Long> entry : sizes.entrySet()) {
      line.append(' ').append(entry.getKey()).append('=').append(entry.getValue());
    }
    for (Class<?> shape : shapes) {
      line.append(" mirror:").append(shape.getName()).append('=')
          .append(instrumentation.getObjectSize(shape));
    }
    System.out.println(line);
    System.out.flush();
    Thread.sleep(3_600_000);
  }

  private static void note(Map<String, Long> sizes, Object object) {
    String name = object.getClass().getCanonicalName();
    if (object.getClass().isArray()) {
      name += java.lang.reflect.Array.getLength(object);
    } else {
      name = object.getClass().getName();
    }
    sizes.put(name.replace("Sizes.", "Sizes$"), instrumentation.getObjectSize(object));
  }
}
