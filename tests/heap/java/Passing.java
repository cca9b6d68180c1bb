package shop;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Programs that die of a full heap, in a method that has only a way to what fills it. */
public final class Passing {
  private static final List<SocketChannel> CLIENTS = new ArrayList<>();

  private Passing() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "one-of-few":
        new Lines().serve();
        break;
      case "attached":
        chat();
        break;
      case "answered":
        new Sessions().broadcast();
        break;
      case "one-of-many":
        receive();
        break;
      case "peers":
        new Hub().run();
        break;
      case "archived":
        System.out.println(archive().length);
        break;
      case "printed":
        System.out.println(page().length());
        break;
      case "framed":
        System.out.println(frames().length);
        break;
      case "encoded":
        encode(new DataOutputStream(new BufferedOutputStream(new ByteArrayOutputStream())));
        break;
      case "spooled":
        spool();
        break;
      case "sharded":
        new Words().index();
        break;
      case "chained":
        chain();
        break;
      case "managed":
        register();
        break;
      case "grown-tree":
        grow();
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }

  private static SocketChannel accept(ServerSocketChannel server) throws IOException {
    CLIENTS.add(SocketChannel.open(server.getLocalAddress()));
    SocketChannel accepted = server.accept();
    accepted.configureBlocking(false);
    return accepted;
  }

  private static ServerSocketChannel bound() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    return server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Each line leads, by its key, to the selector, and so to all others. */
  static final class Lines {
    private final List<Line> open = new ArrayList<>();

    void serve() throws IOException {
      Selector selector = Selector.open();
      ServerSocketChannel server = bound();
      for (int i = 0; i < 6; i++) {
        Line line = new Line(i == 3);
        line.key = accept(server).register(selector, SelectionKey.OP_WRITE, line);
        open.add(line);
      }
      while (true) {
        selector.select(key -> ((Line) key.attachment()).deliver("news"));
      }
    }
  }

  /** Of one line nobody reads what is delivered. */
  static final class Line {
    private final boolean isIdle;
    private final List<String> backlog = new ArrayList<>();
    private SelectionKey key;

    Line(boolean isIdle) {
      this.isIdle = isIdle;
    }

    void deliver(String text) {
      backlog.add(text + backlog.size());
      if (!isIdle && key.isValid()) {
        backlog.clear();
      }
    }
  }

  private static void chat() throws IOException {
    Selector selector = Selector.open();
    ServerSocketChannel server = bound();
    for (int i = 0; i < 60; i++) {
      accept(server).register(selector, SelectionKey.OP_WRITE, new Chat());
    }
    for (int i = 0; ; i++) {
      selector.select();
      Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
      while (keys.hasNext()) {
        ((Chat) keys.next().attachment()).receive(i);
        keys.remove();
      }
    }
  }

  /** What a chat has not sent yet. */
  static final class Chat {
    private ByteBuffer pending = ByteBuffer.allocate(16);

    void receive(int number) {
      if (pending.remaining() < 4) {
        ByteBuffer larger = ByteBuffer.allocate(pending.capacity() + 1024);
        pending.flip();
        larger.put(pending);
        pending = larger;
      }
      pending.putInt(number);
    }
  }

  /** Keys of a selector in a field; their attachments refer back to all. */
  static final class Sessions {
    private final Selector selector;

    Sessions() throws IOException {
      selector = Selector.open();
    }

    void broadcast() throws IOException {
      ServerSocketChannel server = bound();
      for (int i = 0; i < 40; i++) {
        SelectionKey key = accept(server).register(selector, SelectionKey.OP_WRITE);
        key.attach(new Session(this));
      }
      for (int i = 0; ; i++) {
        for (SelectionKey key : selector.keys()) {
          ((Session) key.attachment()).enqueue("message " + i);
        }
      }
    }
  }

  /** A session, and what it has not sent. */
  static final class Session {
    private final Sessions all;
    private final Deque<byte[]> outbox = new ArrayDeque<>();

    Session(Sessions all) {
      this.all = all;
    }

    void enqueue(String text) {
      if (all.selector.isOpen()) {
        outbox.add(text.getBytes());
      }
    }
  }

  private static void receive() throws IOException {
    Selector selector = Selector.open();
    ServerSocketChannel server = bound();
    for (int i = 0; i < 30; i++) {
      accept(server).register(selector, SelectionKey.OP_WRITE, new Upload(i));
    }
    while (true) {
      selector.select(key -> ((Upload) key.attachment()).accept());
    }
  }

  /** Of one upload nobody takes the blocks. */
  static final class Upload {
    private final int number;
    private final Map<Integer, byte[]> blocks = new HashMap<>();

    Upload(int number) {
      this.number = number;
    }

    void accept() {
      if (number == 7) {
        blocks.put(blocks.size(), new byte[300]);
      }
    }
  }

  /** Some peers, and two of them that never read. */
  static final class Hub {
    private final Map<String, Peer> peers = new ConcurrentHashMap<>();

    void run() {
      for (int i = 0; i < 30; i++) {
        peers.put("peer " + i, new Peer(this));
      }
      for (int i = 0; ; i++) {
        peers.get("peer " + i % 2).hear("word " + i);
      }
    }
  }

  /** What a peer has heard. */
  static final class Peer {
    private final Hub hub;
    private final Queue<String> inbox = new LinkedList<>();

    Peer(Hub hub) {
      this.hub = hub;
    }

    void hear(String word) {
      if (!hub.peers.isEmpty()) {
        inbox.add(word);
      }
    }
  }

  private static byte[] archive() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new BufferedOutputStream(new GZIPOutputStream(bytes))) {
      copy(new Noise(), out);
    }
    return bytes.toByteArray();
  }

  private static void copy(InputStream in, OutputStream out) throws IOException {
    byte[] part = new byte[4096];
    while (true) {
      out.write(part, 0, in.read(part));
    }
  }

  /** Never ends, and nothing can make it shorter. */
  static final class Noise extends InputStream {
    private final Random random = new Random(1);

    @Override
    public int read() {
      return random.nextInt(256);
    }

    @Override
    public int read(byte[] to, int from, int length) {
      random.nextBytes(to);
      return length;
    }
  }

  private static String page() {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    for (int i = 0; i >= 0; i++) {
      row(out, i);
    }
    return text.toString();
  }

  private static void row(PrintWriter out, int number) {
    out.println("row " + number);
  }

  private static byte[] frames() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    encode(new DataOutputStream(new BufferedOutputStream(bytes)));
    return bytes.toByteArray();
  }

  private static void encode(DataOutputStream out) throws IOException {
    for (int i = 0; ; i++) {
      frame(out, i);
    }
  }

  private static void frame(DataOutput out, int number) throws IOException {
    out.writeInt(number);
    out.writeUTF("frame " + number);
  }

  private static void spool() throws IOException {
    Writer out = new OutputStreamWriter(sink(), StandardCharsets.UTF_8);
    for (int i = 0; ; i++) {
      out.write("row " + i);
    }
  }

  private static OutputStream sink() {
    Deque<byte[]> parts = new ArrayDeque<>();
    return new OutputStream() {
      @Override
      public void write(int one) {
        parts.add(new byte[] {(byte) one});
      }

      @Override
      public void write(byte[] some, int from, int length) {
        parts.add(Arrays.copyOfRange(some, from, from + length));
      }
    };
  }

  /** While one of five tables is enlarged, methods of its own have what is in it. */
  static final class Words {
    private final SortedMap<Integer, Shard> shards = new TreeMap<>();

    void index() {
      for (int i = 0; ; i++) {
        shards.computeIfAbsent(i % 5, number -> new Shard()).put("word " + i, new int[4]);
      }
    }
  }

  /** A fifth of the words. */
  static final class Shard {
    private final Map<String, int[]> postings = new HashMap<>();

    void put(String word, int[] places) {
      postings.put(word, places);
    }
  }

  private static void chain() {
    CompletableFuture<Integer> first = new CompletableFuture<>();
    CompletableFuture<Integer> last = first;
    for (int i = 0; i >= 0; i++) {
      last = after(last, i);
    }
    first.complete(1);
  }

  private static CompletableFuture<Integer> after(CompletableFuture<Integer> last, int number) {
    return last.thenApply(sum -> sum + number);
  }

  /** What is managed. */
  public interface MeterMBean {
    int getSize();
  }

  /** One of too many. */
  public static final class Meter implements MeterMBean {
    private final long[] samples = new long[200];

    @Override
    public int getSize() {
      return samples.length;
    }
  }

  private static void register() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    for (int i = 0; ; i++) {
      server.registerMBean(new Meter(), new ObjectName("shop:type=Meter,name=n" + i));
    }
  }

  private static void grow() {
    Branch root = new Branch("root");
    Deque<Branch> open = new ArrayDeque<>();
    open.add(root);
    while (!open.isEmpty()) {
      divide(open.remove(), open);
    }
    System.out.println(root.under.size());
  }

  private static void divide(Branch branch, Deque<Branch> open) {
    for (int i = 0; i < 3; i++) {
      Branch further = new Branch(branch.name.length() > 40 ? "x" : branch.name + i);
      branch.under.add(further);
      open.add(further);
    }
  }

  /** A tree of lists. */
  static final class Branch {
    private final String name;
    private final List<Branch> under = new ArrayList<>();

    Branch(String name) {
      this.name = name;
    }
  }
}
