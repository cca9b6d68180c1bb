package shop;

import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Programs that die of a full heap, each of another kind of holder. */
public final class FullHeaps {
  private FullHeaps() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "listeners":
        listen();
        break;
      case "tree":
        System.out.println(index().size());
        break;
      case "table":
        System.out.println(count().size());
        break;
      case "text":
        System.out.println(render().length());
        break;
      case "stream":
        new Export().write();
        break;
      case "thread-local":
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.submit(Pages::load).get();
        break;
      case "bystander":
        new Sessions().start();
        break;
      case "loggers":
        Logs.begin();
        for (int i = 0; i >= 0; i++) {
          Audit.note(i);
        }
        break;
      case "trie":
        new Words().addAll();
        break;
      case "shaped":
        for (int i = 0; i >= 0; i++) {
          Shaping.current().shape("line " + i);
        }
        break;
      case "ended":
        new Imports().start();
        break;
      case "recursion":
        System.out.println(descend(0));
        break;
      case "finalizers":
        while (true) {
          new Handle();
        }
      case "queue":
        new Inbox().produce();
        break;
      case "collect":
        System.out.println(load().size());
        break;
      case "shared":
        share();
        break;
      case "own-tree":
        new OwnTree().grow();
        break;
      case "requests":
        for (int i = 0; ; i++) {
          Requests.serve(i);
        }
      case "shards":
        Shards.fill("first");
        break;
      case "behind":
        new Plugged().run();
        break;
      case "deque":
        System.out.println(walk().size());
        break;
      case "grouped":
        System.out.println(group().size());
        break;
      case "served":
        new Served().serve();
        break;
      case "reloaded":
        new Reloads().reload();
        break;
      case "hooks":
        for (int i = 0; ; i++) {
          hook(i);
        }
      case "fed":
        new Feeder().start();
        break;
      case "made":
        host();
        break;
      case "parallel":
        System.out.println(loadAtOnce().size());
        break;
      case "awaited":
        for (int i = 0; i >= 0; i++) {
          Gate.call(i);
        }
        break;
      case "in-order":
        new Ledger().post();
        break;
      case "unbounded":
        new Tail().follow();
        break;
      case "own-list":
        System.out.println(chain().name);
        break;
      case "topics":
        for (int i = 0; ; i++) {
          Topics.subscribe(new Listener(i));
        }
      case "started":
        new Started().start();
        break;
      case "handed":
        new Handed().start();
        break;
      case "wrapped":
        wrap();
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }

  /** A static list, of which nothing is ever removed. */
  static final class Feed {
    static final List<Runnable> LISTENERS = new ArrayList<>();
  }

  private static void listen() {
    while (true) {
      byte[] price = new byte[1000];
      Feed.LISTENERS.add(() -> price[0]++);
    }
  }

  private static Map<Long, String> index() {
    TreeMap<Long, String> rows = new TreeMap<>();
    for (long i = 0; i >= 0; i++) {
      rows.put(i * 7919 % 1_000_003, "row " + i);
    }
    return rows;
  }

  private static Map<Integer, Integer> count() {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int i = 0; i >= 0; i++) {
      counts.merge(i, 1, Integer::sum);
    }
    return counts;
  }

  private static String render() {
    StringBuilder page = new StringBuilder();
    for (int i = 0; i >= 0; i++) {
      page.append("line ").append(i).append('\n');
    }
    return page.toString();
  }

  static final class Export {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    void write() throws IOException {
      byte[] row = new byte[3000];
      while (true) {
        out.write(row);
      }
    }
  }

  static final class Pages {
    private static final ThreadLocal<List<byte[]>> CACHE = ThreadLocal.withInitial(ArrayList::new);

    static void load() {
      while (true) {
        CACHE.get().add(new byte[5000]);
      }
    }
  }

  /** The thread that asks for large arrays meets the error before the one that fills the heap. */
  static final class Sessions {
    private final Map<String, byte[]> open = new HashMap<>();
    private static volatile int samples;

    void start() throws InterruptedException {
      Thread reporter = new Thread(Sessions::report, "metrics-reporter");
      reporter.setDaemon(true);
      reporter.start();
      Thread request = new Thread(this::serve, "request-1");
      request.start();
      request.join();
    }

    private static void report() {
      while (true) {
        byte[] sample = new byte[1_000_000];
        sample[0] = 1;
        samples++;
      }
    }

    /** A sample for every thousand sessions: so it is always the sample that does not fit. */
    private void serve() {
      for (int i = 0; i >= 0; i++) {
        open.put("session " + i, new byte[200]);
        for (int seen = samples; i % 1_000 == 0 && seen == samples; ) {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** A logger whose parent has the handler, which keeps what it is handed. */
  static final class Audit {
    private static final Logger LOG = Logger.getLogger("shop.audit");

    static void note(int number) {
      LOG.log(Level.INFO, "entry {0}", new Object[] {number, new byte[200]});
    }
  }

  static final class Logs {
    private static final Logger ROOT = Logger.getLogger("shop");

    static void begin() {
      ROOT.setUseParentHandlers(false);
      ROOT.addHandler(new Held());
    }
  }

  static final class Held extends Handler {
    private final List<LogRecord> records = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord record) {
      records.add(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Nodes that have a few others each. */
  static final class Words {
    private final Node root = new Node();

    void addAll() {
      for (long i = 0; i >= 0; i++) {
        Node at = root;
        for (long rest = i * 0x9E3779B97F4A7C15L; rest != 0; rest >>>= 4) {
          at = at.below.computeIfAbsent((int) (rest & 3), letter -> new Node());
        }
      }
    }

    static final class Node {
      private final Map<Integer, Node> below = new TreeMap<>();
    }
  }

  /** Of each thread one, which makes what it keeps by a reference to a method. */
  static final class Shaping {
    private static final ThreadLocal<Shaping> CURRENT = ThreadLocal.withInitial(Shaping::new);

    private final Map<String, Shape> shaped = new HashMap<>();

    static Shaping current() {
      return CURRENT.get();
    }

    Shape shape(String line) {
      return shaped.computeIfAbsent(line, Shape::of);
    }
  }

  static final class Shape {
    private final int[] glyphs;

    private Shape(int[] glyphs) {
      this.glyphs = glyphs;
    }

    static Shape of(String line) {
      return new Shape(new int[20 * line.length()]);
    }
  }

  /** Whoever has filled it has ended by an error, which is being handled; main waits for it. */
  static final class Imports {
    private final Map<String, byte[]> read = new HashMap<>();

    void start() throws InterruptedException {
      CountDownLatch begun = new CountDownLatch(1); // not of this object: a lambda would have it
      Thread importing = new Thread(this::read, "import-1");
      importing.setUncaughtExceptionHandler((thread, error) -> handle(begun));
      Thread reporter = new Thread(() -> reportAfter(begun), "metrics-reporter");
      reporter.setDaemon(true);
      reporter.start();
      importing.start();
      importing.join();
    }

    private void read() {
      for (int i = 0; i < 50_000; i++) {
        read.put("row " + i, new byte[200]);
      }
      throw new IllegalStateException("row 50000 has no end");
    }

    private static void handle(CountDownLatch begun) {
      begun.countDown();
      while (true) {
        Thread.onSpinWait();
      }
    }

    private static void reportAfter(CountDownLatch begun) {
      try {
        begun.await();
      } catch (InterruptedException e) {
        return;
      }
      System.out.println(new byte[10_000_000].length);
    }
  }

  private static int descend(int depth) {
    byte[] page = new byte[20_000];
    page[depth % 100] = 1;
    return descend(depth + 1) + page[0];
  }

  /** More are made than are finalized. */
  static final class Handle {
    private final byte[] buffer = new byte[1000];

    @Override
    protected void finalize() throws InterruptedException {
      Thread.sleep(50 + buffer[0]);
    }
  }

  static final class Inbox {
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

    void produce() {
      for (int i = 0; i >= 0; i++) {
        messages.add("message " + i);
      }
    }
  }

  private static List<String> load() {
    return IntStream.iterate(0, i -> i + 1).mapToObj(i -> "row " + i).collect(Collectors.toList());
  }

  /** What is made while the map's own method is at work: the constructor is not to blame. */
  static final class Requests {
    static final ConcurrentHashMap<String, Request> OPEN = new ConcurrentHashMap<>();

    static final class Request {
      final String name;
      final byte[] body = new byte[600];

      Request(String name) {
        this.name = name;
      }
    }

    static void serve(int i) {
      OPEN.computeIfAbsent("request " + i, Request::new);
    }
  }

  /** A map of one list. */
  static final class Shards {
    static final Map<String, List<int[]>> BY_NAME = new HashMap<>();

    static void fill(String name) {
      BY_NAME.put(name, new ArrayList<>());
      while (true) {
        BY_NAME.get(name).add(new int[100]);
      }
    }
  }

  /** A field that comes before the container, by its name, and leads back to it from outside. */
  static final class Plugged {
    final HashMap<String, Object> around = new HashMap<>();
    final List<Long> trail = new ArrayList<>();

    void run() {
      around.put("plugged", this);
      for (long i = 1000; ; i++) {
        trail.add(i);
      }
    }
  }

  static final class Cache {
    final ConcurrentHashMap<Long, String> rows = new ConcurrentHashMap<>();

    void fill(int first) {
      for (long i = first; i >= 0; i += 3) {
        rows.put(i, "row " + i);
      }
    }
  }

  private static void share() throws InterruptedException {
    Cache cache = new Cache();
    List<Thread> loaders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int first = i;
      loaders.add(new Thread(() -> cache.fill(first), "loader-" + i));
    }
    loaders.forEach(Thread::start);
    for (Thread each : loaders) {
      each.join();
    }
  }

  static final class Node {
    private final long key;
    private Node left;
    private Node right;

    Node(long key) {
      this.key = key;
    }
  }

  static final class OwnTree {
    private final Node root = new Node(0);

    void grow() {
      Random random = new Random(1);
      while (true) {
        insert(new Node(random.nextLong()));
      }
    }

    private void insert(Node node) {
      Node at = root;
      while (true) {
        Node next = node.key < at.key ? at.left : at.right;
        if (next == null) {
          break;
        }
        at = next;
      }
      if (node.key < at.key) {
        at.left = node;
      } else {
        at.right = node;
      }
    }
  }

  private static ArrayDeque<int[]> walk() {
    ArrayDeque<int[]> open = new ArrayDeque<>();
    open.add(new int[] {0});
    while (!open.isEmpty()) {
      int[] next = open.poll();
      open.add(new int[] {next[0] + 1});
      open.add(new int[] {next[0] + 2});
    }
    return open;
  }

  private static Map<Integer, List<String>> group() {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "row " + i)
        .collect(Collectors.groupingBy(row -> row.hashCode() % 1000));
  }

  /**
   * What a handler sets at its exchange stays in the server, which everything in it leads to; the
   * main thread, which has made the server, only waits.
   */
  static final class Served implements HttpHandler {
    private int count;

    void serve() throws Exception {
      HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
      server.createContext("/", this);
      server.start();
      int port = server.getAddress().getPort();
      Thread client = new Thread(() -> ask(port), "client");
      client.start();
      client.join();
    }

    private static void ask(int port) {
      try {
        while (true) {
          URL address = new URL("http://127.0.0.1:" + port + "/");
          HttpURLConnection asked = (HttpURLConnection) address.openConnection();
          asked.getResponseCode();
        }
      } catch (IOException error) {
        throw new IllegalStateException(error);
      }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
      for (int i = 0; i < 100; i++) {
        exchange.setAttribute("answer " + count++, new byte[1000]);
      }
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    }
  }

  /** A class that is loaded again and again; of each copy one object stays in a list. */
  static final class Reloads {
    private final List<Object> plugins = new ArrayList<>();

    void reload() throws Exception {
      while (true) {
        Class<?> plugin = new Loader().loadClass("shop.FullHeaps$Plugin");
        plugins.add(plugin.getDeclaredConstructor().newInstance());
      }
    }
  }

  /** Keeps much in a static field. */
  public static final class Plugin {
    static final byte[][] PAGES = new byte[100][1000];
  }

  /** Loads a plug-in by itself. */
  static final class Loader extends ClassLoader {
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.endsWith("$Plugin")) {
        return super.loadClass(name, resolve);
      }
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = FullHeaps.class.getClassLoader().getResourceAsStream(file)) {
        byte[] code = in.readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException error) {
        throw new ClassNotFoundException(name, error);
      }
    }
  }

  /** Threads that are not started, in a static map of the JDK's. */
  private static void hook(int i) {
    byte[] state = new byte[500];
    Runtime.getRuntime().addShutdownHook(new Thread(() -> state[0]++, "hook " + i));
  }

  interface Bank {
    String transfer(int from, int to);
  }

  /** A dynamic proxy around another one of the same class, whose handler has captured a map. */
  private static void wrap() {
    Map<String, Object> journal = new HashMap<>();
    Bank bank = (from, to) -> "moved from " + from + " to " + to;
    Bank logged =
        around(
            (proxy, method, args) -> {
              Object answer = method.invoke(bank, args);
              journal.put("transfer " + journal.size(), answer);
              return answer;
            });
    Bank outer = around((proxy, method, args) -> method.invoke(logged, args));
    repeat(outer);
  }

  private static void repeat(Bank bank) {
    for (int i = 0; i >= 0; i++) {
      bank.transfer(i, -i);
    }
  }

  private static Bank around(InvocationHandler handler) {
    Class<?>[] types = {Bank.class};
    return (Bank) Proxy.newProxyInstance(FullHeaps.class.getClassLoader(), types, handler);
  }

  /** Whoever empties a queue meets the error; the thread that has filled it sleeps by then. */
  static final class Feeder {
    record Chunk(int number, byte[] data) {}

    static final class Pipe {
      private final BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>();

      void push(Chunk chunk) {
        queue.add(chunk);
      }

      Chunk pull() throws InterruptedException {
        return queue.take();
      }
    }

    private final Pipe pipe = new Pipe();
    private final CountDownLatch filled = new CountDownLatch(1);

    void start() {
      Thread feeder = new Thread(this::feed, "feeder");
      feeder.setDaemon(true);
      feeder.start();
      new Thread(new Worker(pipe, filled), "worker").start();
    }

    private void feed() {
      for (int i = 0; i < 12_000; i++) {
        pipe.push(new Chunk(i, new byte[1000]));
      }
      filled.countDown();
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException error) {
        pipe.push(new Chunk(-1, new byte[0]));
      }
    }

    static final class Worker implements Runnable {
      private final Pipe pipe;
      private final CountDownLatch filled;

      Worker(Pipe pipe, CountDownLatch filled) {
        this.pipe = pipe;
        this.filled = filled;
      }

      @Override
      public void run() {
        try {
          filled.await();
          Chunk chunk = pipe.pull();
          byte[] text = inflate(chunk);
          System.out.println(text.length + chunk.number());
        } catch (InterruptedException error) {
          throw new IllegalStateException(error);
        }
      }

      private static byte[] inflate(Chunk chunk) {
        byte[] text = new byte[16 << 20];
        text[0] = chunk.data()[0];
        return text;
      }
    }
  }

  /** Whoever has filled the server is gone; whoever has made it waits for another thread. */
  private static void host() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    HttpContext context = server.createContext("/", HttpExchange::close);
    server.start();
    remember(context);
    Thread reporter = new Thread(() -> System.out.println(new byte[64 << 20].length), "reporter");
    reporter.start();
    reporter.join();
    server.stop(context.getAttributes().size());
  }

  private static void remember(HttpContext context) {
    for (int i = 0; i < 10_000; i++) {
      context.getAttributes().put("visit " + i, new byte[1000]);
    }
  }

  /** Threads of a pool hold what they have gathered so far, for the one that waits for all. */
  private static List<String> loadAtOnce() {
    return IntStream.range(0, 1 << 28)
        .parallel()
        .mapToObj(i -> "row " + i)
        .collect(Collectors.toList());
  }

  /** A future that is never done keeps what waits for it. */
  static final class Gate {
    static final CompletableFuture<String> OPEN = new CompletableFuture<>();

    static void call(int i) {
      byte[] body = new byte[20];
      OPEN.thenApply(name -> name.length() + body.length + i);
    }
  }

  static final class Ledger {
    private final ConcurrentSkipListMap<Long, String> byTime = new ConcurrentSkipListMap<>();

    void post() {
      Random random = new Random(4);
      while (true) {
        long time = random.nextLong();
        byTime.put(time, "entry " + time);
      }
    }
  }

  static final class Tail {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    void follow() {
      for (int i = 0; i >= 0; i++) {
        lines.add("line " + i);
      }
    }
  }

  static final class Link {
    final String name;
    final Link next;

    Link(String name, Link next) {
      this.name = name;
      this.next = next;
    }
  }

  private static Link chain() {
    Link first = null;
    for (int i = 0; i >= 0; i++) {
      first = new Link("link " + i, first);
    }
    return first;
  }

  static final class Listener {
    final int number;
    final byte[] state = new byte[500];

    Listener(int number) {
      this.number = number;
    }
  }

  /** Of three sets of listeners two have a part each and the third one has all. */
  static final class Topics {
    static final Map<Integer, Set<Listener>> SUBSCRIBERS = new HashMap<>();

    static void subscribe(Listener listener) {
      SUBSCRIBERS.computeIfAbsent(listener.number % 2, topic -> new HashSet<>()).add(listener);
      SUBSCRIBERS.computeIfAbsent(2, topic -> new HashSet<>()).add(listener);
    }
  }

  /** Another thread than the one that fills, or has started that one, meets the error. */
  static final class Started {
    private final Map<String, byte[]> open = new HashMap<>();

    void start() {
      Thread reporter = new Thread(Sessions::report, "metrics-reporter");
      reporter.setDaemon(true);
      reporter.start();
      Thread request = new Thread(this::serve, "request-1");
      request.start();
      while (request.isAlive()) {
        Thread.yield();
      }
    }

    private void serve() {
      for (int i = 0; i >= 0; i++) {
        open.put("session " + i, new byte[200]);
        for (int seen = Sessions.samples; i % 1_000 == 0 && seen == Sessions.samples; ) {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** Hands its field to a method that has no object of its own. */
  static final class Handed {
    private final Map<String, byte[]> open = new HashMap<>();

    void start() throws InterruptedException {
      Thread request = new Thread(() -> fill(open), "request-1");
      request.start();
      request.join();
    }

    private static void fill(Map<String, byte[]> sessions) {
      for (int i = 0; i >= 0; i++) {
        sessions.put("session " + i, new byte[200]);
      }
    }
  }
}
