import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps secrets in every kind of place, prints {@code ready PID} and waits to be dumped.
 *
 * <p>Arguments: texts, three of which are taken in turn for each place; then {@code --} and numbers.
 */
public final class Secretive {
  static final List<Object> HELD = new ArrayList<>();
  static final Map<String, String> SETTINGS = new ConcurrentHashMap<>();
  static final AtomicInteger COUNTER = new AtomicInteger();
  static final AtomicLong LONG_COUNTER = new AtomicLong();
  static long staticNumber;
  static double staticRatio;
  static int staticInt;
  static Account account;

  enum Day { MONDAY, TUESDAY }

  static final class Account {
    String owner;
    long number;
    int pin;
    double balance;
    float rate;
    char[] password;
    byte[] token;
    Object link;
  }

  private Secretive() {}

  public static void main(String[] args) throws Exception {
    List<String> texts = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    for (String each : args) {
      if (each.startsWith("n=")) {
        numbers.add(Long.parseLong(each.substring(2)));
      } else {
        texts.add(each);
      }
    }
    for (String text : texts) {
      plant(text);
    }
    for (long number : numbers) {
      staticNumber = number;
      staticRatio = Double.longBitsToDouble(number);
      staticInt = (int) number;
      COUNTER.set((int) number);
      LONG_COUNTER.set(number);
      HELD.add(new long[] {number, number});
      HELD.add(new int[] {(int) number});
      HELD.add(new double[] {Double.longBitsToDouble(number)});
      HELD.add(Long.valueOf(number));
      HELD.add(Integer.valueOf((int) number));
      account.number = number;
      account.pin = (int) number;
      account.balance = Double.longBitsToDouble(number);
    }
    fill();
    System.out.println("ready " + ProcessHandle.current().pid());
    Thread.sleep(600_000);
  }

  private static void plant(String text) throws Exception {
    HELD.add(text);
    HELD.add(text.toCharArray());
    HELD.add(text.getBytes("UTF-8"));
    HELD.add(text.getBytes("UTF-16LE"));
    HELD.add(text.getBytes("UTF-16BE"));
    HELD.add(new StringBuilder(text).append('\u0431'));
    HELD.add(new StringBuffer(text));
    HELD.add(text.codePoints().toArray());
    HELD.add(new String("\u0436" + text));
    SETTINGS.put(text, "value of " + text);
    System.setProperty("password." + text, text);
    Account made = new Account();
    made.owner = text;
    made.password = text.toCharArray();
    made.token = text.getBytes("UTF-8");
    made.link = account;
    account = made;
    ThreadLocal<String> local = ThreadLocal.withInitial(() -> text);
    local.get();
    Thread thread = new Thread(() -> park(text), "serves " + text);
    thread.setDaemon(true);
    thread.start();
    HELD.add(text.intern());
  }

  private static void park(String text) {
    try {
      Thread.sleep(600_000);
    } catch (InterruptedException ignored) {
      HELD.add(text);
    }
  }

  private static void fill() {
    List<Object> all = new ArrayList<>();
    all.add(new ArrayDeque<>());
    all.add(new LinkedList<>());
    all.add(new Vector<>());
    all.add(new HashSet<>());
    all.add(new TreeSet<>());
    all.add(new PriorityQueue<>());
    all.add(new ArrayBlockingQueue<>(300));
    all.add(new LinkedBlockingQueue<>());
    all.add(new LinkedBlockingDeque<>());
    all.add(new PriorityBlockingQueue<>());
    all.add(new CopyOnWriteArrayList<>());
    all.add(Collections.synchronizedList(new ArrayList<>()));
    all.add(ConcurrentHashMap.newKeySet());
    for (Object each : all) {
      @SuppressWarnings("unchecked")
      java.util.Collection<Object> collection = (java.util.Collection<Object>) each;
      for (int at = 0; at < 117; at++) {
        collection.add("item " + at);
      }
    }
    List<Map<Object, Object>> maps = new ArrayList<>();
    maps.add(new HashMap<>());
    maps.add(new LinkedHashMap<>());
    maps.add(new TreeMap<>());
    maps.add(new Hashtable<>());
    maps.add(new WeakHashMap<>());
    maps.add(new IdentityHashMap<>());
    maps.add(new ConcurrentHashMap<>());
    for (Map<Object, Object> map : maps) {
      for (int at = 0; at < 229; at++) {
        map.put("key " + at, at);
      }
    }
    Map<Day, String> days = new EnumMap<>(Day.class);
    days.put(Day.TUESDAY, "work");
    HELD.addAll(all);
    HELD.addAll(maps);
    HELD.add(days);
    HELD.add(List.of("a", "b", "c"));
    HELD.add(Map.of("a", 1, "b", 2, "c", 3));
    HELD.add(Collections.unmodifiableMap(maps.get(0)));
  }
}
