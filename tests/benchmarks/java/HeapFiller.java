import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fills a heap with seeded content and waits to be dumped.
 *
 * <p>Arguments: units (a unit is about 9 objects and 440 bytes of dump), seed. Prints {@code ready
 * PID} and then sleeps. The list {@code KNOWN} and the map {@code KNOWN_MAP} have content that is
 * known to the byte, whatever the seed.
 */
public final class HeapFiller {
  static final Known[] KNOWN = new Known[1000];
  static final Map<Long, Known> KNOWN_MAP = new HashMap<>();
  static final List<Object> ROOM = new ArrayList<>();
  static final Map<String, Item> ITEMS = new ConcurrentHashMap<>();

  static class Known {
    int number;
    Known next;
  }

  static class Item {
    byte flag;
    long count;
    String name;
    Item parent;
    Object[] children;
  }

  static final class LargeItem extends Item {
    byte more;
    int[] history;
  }

  private HeapFiller() {}

  public static void main(String[] args) throws Exception {
    int units = Integer.parseInt(args[0]);
    Random random = new Random(args.length > 1 ? Long.parseLong(args[1]) : 42);
    for (int i = 0; i < KNOWN.length; i++) {
      KNOWN[i] = new Known();
      KNOWN[i].number = i;
      KNOWN[i].next = i > 0 ? KNOWN[i - 1] : null;
      KNOWN_MAP.put(1000L + i, new Known());
    }
    fill(units, random);
    List<Item> local = new LinkedList<>();
    for (int i = 0; i < 1000; i++) {
      local.add(item(random, null, i));
    }
    hold(local);
  }

  static void fill(int units, Random random) {
    Item[] recent = new Item[4096];
    Map<String, List<Item>> groups = new HashMap<>();
    TreeMap<Integer, String> sorted = new TreeMap<>();
    for (int i = 0; i < units; i++) {
      Item item = item(random, recent[random.nextInt(recent.length)], i);
      recent[random.nextInt(recent.length)] = item;
      groups.computeIfAbsent("group-" + random.nextInt(1 + units / 8), k -> new ArrayList<>())
          .add(item);
      if (i % 4 == 0) {
        sorted.put(random.nextInt(), item.name);
        ITEMS.put(item.name + i, item);
      }
      if (i % 16 == 0) {
        Set<Integer> numbers = new HashSet<>();
        for (int k = random.nextInt(12); k > 0; k--) {
          numbers.add(random.nextInt(1 << 20));
        }
        ROOM.add(numbers);
        ROOM.add(new ArrayDeque<>(numbers));
        ROOM.add(Array.newInstance(short.class, random.nextInt(40)));
      }
    }
    ROOM.add(groups);
    ROOM.add(sorted);
  }

  static Item item(Random random, Item parent, int number) {
    Item item = random.nextInt(4) == 0 ? new LargeItem() : new Item();
    item.count = number;
    item.parent = parent;
    item.name = "item number " + random.nextInt(1 << 22);
    if (item instanceof LargeItem) {
      ((LargeItem) item).history = new int[random.nextInt(16)];
    }
    item.children = new Object[random.nextInt(6)];
    for (int i = 0; i < item.children.length; i++) {
      item.children[i] = random.nextInt(3) == 0 ? parent : (Object) Long.valueOf(random.nextInt());
    }
    return item;
  }

  static void hold(List<Item> local) throws InterruptedException {
    System.out.println("ready " + local.size());
    System.out.flush();
    Thread.sleep(3_600_000);
    System.out.println(local.size());
  }
}
