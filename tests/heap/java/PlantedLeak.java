package shop;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A shop at work, with one leak: audit events of sessions that have ended stay in a list of the
 * audit's, below caches, orders and worker threads that are as they should be. It dumps itself.
 */
public final class PlantedLeak {
  private PlantedLeak() {}

  /** Arguments: the dump to write, and how many sessions end in it. */
  public static void main(String[] args) throws Exception {
    int sessions = Integer.parseInt(args[1]);
    Random random = new Random(45);
    Shop shop = new Shop();
    Registry.INSTANCE.services.put("shop", shop);
    Registry.INSTANCE.services.put("audit", new Audit());
    for (int i = 0; i < sessions; i++) {
      shop.catalogue.put("article-" + i, new Article("article " + i, random.nextInt(10_000)));
      Session session = new Session("customer-" + random.nextInt(1000), i);
      for (int step = 0; step < 8; step++) {
        session.events.add(new Event(session, "step " + step, new byte[100 + random.nextInt(200)]));
      }
      ((Audit) Registry.INSTANCE.services.get("audit")).ended(session);
      if (i % 10 == 0) {
        shop.orders.add(new Order(i, new long[20 + random.nextInt(20)]));
      }
    }
    CountDownLatch working = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> work(shop, working), "worker-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    working.await();
    HotSpotDiagnosticMXBean bean =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    bean.dumpHeap(args[0], true);
    System.out.println(shop.orders.size());
  }

  private static void work(Shop shop, CountDownLatch working) {
    Map<String, int[]> totals = new HashMap<>();
    for (int i = 0; i < 2000; i++) {
      totals.put("total-" + i, new int[] {i, shop.orders.size()});
    }
    working.countDown();
    synchronized (totals) {
      while (totals.size() > 0) {
        try {
          totals.wait();
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  enum Registry {
    INSTANCE;

    final Map<String, Object> services = new LinkedHashMap<>();
  }

  static final class Shop {
    final Map<String, Article> catalogue = new ConcurrentHashMap<>();
    final LinkedList<Order> orders = new LinkedList<>();
  }

  static final class Article {
    final String name;
    final int price;

    Article(String name, int price) {
      this.name = name;
      this.price = price;
    }
  }

  static final class Order {
    final long number;
    final long[] articles;

    Order(long number, long[] articles) {
      this.number = number;
      this.articles = articles;
    }
  }

  static final class Event {
    final Session session;
    final String what;
    final byte[] page;

    Event(Session session, String what, byte[] page) {
      this.session = session;
      this.what = what;
      this.page = page;
    }
  }

  static final class Session {
    final String customer;
    final long number;
    final List<Event> events = new ArrayList<>();

    Session(String customer, long number) {
      this.customer = customer;
      this.number = number;
    }
  }

  /** Keeps what has ended, which is the fault. */
  static final class Audit {
    private final Map<String, List<Session>> ended = new HashMap<>();

    void ended(Session session) {
      ended.computeIfAbsent(session.customer, name -> new ArrayList<>()).add(session);
    }
  }
}
