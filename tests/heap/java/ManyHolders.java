package shop;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Programs that die of a full heap, of which several hold a part, or one behind others. */
public final class ManyHolders {
  private static final int SMALL_STACK = 256 * 1024;

  private ManyHolders() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "handed-over":
        startAll(Dialler::dial);
        break;
      case "swapped":
        startAll(Swapper::offer);
        break;
      case "calling":
        startAll(Caller::ring);
        break;
      case "held-up":
        startAll(Till::pay);
        break;
      case "posted":
        post();
        break;
      case "halves":
        new Ledger().book();
        break;
      case "by-region":
        for (int i = 0; ; i++) {
          Regions.add("region", "town " + i);
        }
      case "own-slots":
        for (int i = 0; ; i++) {
          Visit.enter(i);
        }
      case "captured":
        counter(new HashMap<>()).run();
        break;
      case "settings":
        new Settings().load();
        break;
      case "gathered":
        System.out.println(gather().length);
        break;
      case "memoised":
        for (int i = 0; ; i++) {
          Tables.BY_SIZE.apply(i);
        }
      case "served-by-threads":
        for (int i = 0; ; i++) {
          deploy(i);
        }
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }

  private static void startAll(Work work) throws InterruptedException {
    for (int i = 0; i < 3000; i++) {
      int number = i;
      Runnable task = () -> work.of(number);
      Thread thread = new Thread(null, task, "client-" + i, SMALL_STACK);
      thread.setDaemon(true);
      thread.start();
    }
    Thread.sleep(60_000);
  }

  /** What each thread does. */
  interface Work {
    void of(int number);
  }

  /** Each thread waits with what it has made for somebody who takes it. */
  static final class Dialler {
    static final SynchronousQueue<long[][]> WIRE = new SynchronousQueue<>();

    static void dial(int number) {
      long[][] frames = new long[20][];
      for (int i = 0; i < frames.length; i++) {
        frames[i] = new long[200];
      }
      connect(frames);
    }

    private static void connect(long[][] frames) {
      try {
        WIRE.put(frames);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The same, by an exchanger of its own, and by a field. */
  static final class Swapper {
    static final Map<Integer, Exchanger<List<int[]>>> BY_NUMBER = new LinkedHashMap<>();

    private final List<int[]> own = new ArrayList<>();

    static void offer(int number) {
      new Swapper().swap(number);
    }

    private void swap(int number) {
      for (int i = 0; i < 20; i++) {
        own.add(new int[400]);
      }
      Exchanger<List<int[]>> exchanger = new Exchanger<>();
      synchronized (BY_NUMBER) {
        BY_NUMBER.put(number, exchanger);
      }
      try {
        exchanger.exchange(own);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Each hands itself over, and refers to the queue in which all wait. */
  static final class Caller {
    private final SynchronousQueue<Caller> desk;
    private final List<int[]> notes = new ArrayList<>();

    private Caller(SynchronousQueue<Caller> desk) {
      this.desk = desk;
    }

    static void ring(int number) {
      new Caller(Desk.CALLERS).call();
    }

    private void call() {
      for (int i = 0; i < 20; i++) {
        notes.add(new int[400]);
      }
      try {
        desk.put(this);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Where callers wait. */
  static final class Desk {
    static final SynchronousQueue<Caller> CALLERS = new SynchronousQueue<>(true);
  }

  /** Threads wait to put something small; what they hold is compiled away in some frames. */
  static final class Till {
    static final BlockingQueue<Integer> COINS = new ArrayBlockingQueue<>(1);

    static void pay(int number) {
      Map<Integer, byte[]> receipts = new TreeMap<>();
      for (int i = 0; i < 20; i++) {
        receipts.put(i, new byte[1000]);
      }
      queue(receipts, number);
    }

    private static void queue(Map<Integer, byte[]> receipts, int number) {
      try {
        COINS.put(number);
        COINS.put(receipts.size());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What is put into such a queue is its own; only what waits to be handed over is not. */
  static final class Tube {
    static final LinkedTransferQueue<String> POST = new LinkedTransferQueue<>();
  }

  private static void post() {
    for (int i = 0; ; i++) {
      Tube.POST.add("letter " + i);
    }
  }

  /** One object, two fields, each with half of the heap. */
  static final class Ledger {
    private final Map<Integer, int[]> debits = new TreeMap<>();
    private final List<int[]> credits = new ArrayList<>();

    void book() {
      for (int i = 0; ; i++) {
        debits.put(i, new int[20]);
        credits.add(new int[30]);
      }
    }
  }

  /** A map in a map in a map, each of a few entries. */
  static final class Regions {
    static final Map<String, Map<String, Map<String, long[]>>> ALL = new TreeMap<>();

    static void add(String region, String town) {
      ALL.computeIfAbsent(region, key -> new TreeMap<>())
          .computeIfAbsent("towns", key -> new ConcurrentSkipListMap<>())
          .put(town, new long[4]);
    }
  }

  /** Each visit has a thread-local of its own, and removes it nowhere. */
  static final class Visit {
    private final ThreadLocal<Visit> current = new ThreadLocal<>();
    private final short[] steps = new short[500];

    static void enter(int number) {
      Visit visit = new Visit();
      visit.steps[0] = (short) number;
      visit.current.set(visit);
    }
  }

  private static Runnable counter(Map<Integer, String> names) {
    return new Runnable() {
      @Override
      public void run() {
        for (int i = 0; ; i++) {
          names.put(i, "name " + i);
        }
      }
    };
  }

  /** Properties keep a map of their own since JDK 9. */
  static final class Settings {
    private final Properties all = new Properties();

    void load() {
      for (int i = 0; ; i++) {
        all.setProperty("key " + i, "value " + i);
      }
    }
  }

  private static Object[] gather() {
    return IntStream.iterate(0, i -> i + 1)
        .filter(i -> i % 2 == 0)
        .mapToObj(i -> "number " + i)
        .toArray();
  }

  /** What a lambda in a static field has captured. */
  static final class Tables {
    static final IntFunction<double[]> BY_SIZE = remembering();

    private static IntFunction<double[]> remembering() {
      Map<Integer, double[]> known = new HashMap<>();
      return size -> known.computeIfAbsent(size, key -> new double[5]);
    }
  }

  /** A thread of each application goes on when the next one is deployed. */
  public static final class Served implements Runnable {
    static final char[][] PAGES = new char[40][];

    static {
      for (int i = 0; i < PAGES.length; i++) {
        PAGES[i] = new char[1000];
      }
    }

    @Override
    public synchronized void run() {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Loads the application anew, all else once. */
  static final class Isolating extends URLClassLoader {
    Isolating(URL[] from) {
      super(from, ManyHolders.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals("shop.ManyHolders$Served")) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known != null ? known : findClass(name);
    }
  }

  private static void deploy(int number) throws ReflectiveOperationException {
    URL from = ManyHolders.class.getProtectionDomain().getCodeSource().getLocation();
    Class<?> served = new Isolating(new URL[] {from}).loadClass("shop.ManyHolders$Served");
    Runnable app = (Runnable) served.getConstructor().newInstance();
    Thread thread = new Thread(null, app, "app-" + number, SMALL_STACK);
    thread.setDaemon(true);
    thread.start();
  }
}
