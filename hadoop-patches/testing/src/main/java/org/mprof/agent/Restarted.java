package org.mprof.agent;

import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The agent, begun anew for each of many tasks in one JVM; for tests. In the JVM of a task it
 * begins once, so what it keeps in static fields is set back by reflection to what it was when the
 * JVM began: whatever field is added, it is among them.
 */
public final class Restarted {
  /** They go on through all tasks of the JVM, or are set back in {@link #begin}. */
  private static final List<String> KEPT =
      Arrays.asList("Agent", "Events", "GcWatch", "ProcessMemory", "PositionRing", "PositionFile");

  private static final Map<Field, Object> AT_START = new HashMap<>();
  private static final List<Collection<?>> COLLECTIONS = new ArrayList<>();
  private static final List<AtomicInteger> COUNTERS = new ArrayList<>();
  private static final List<Object[]> REMEMBERED = new ArrayList<>();

  private static List<CaptureCopier> copiers;

  private Restarted() {}

  /** Notes what the static fields are at the start; {@code inHadoop} is a class of the hooks. */
  public static void prepare(Class<?> inHadoop) throws Exception {
    copiers = new ArrayList<>(copiers());
    for (Class<?> home : Arrays.asList(Agent.class, inHadoop)) {
      for (String name : classesOf(home)) {
        boolean wanted =
            (name.startsWith("org.mprof.agent.") || name.startsWith("org.mprof.hadoop."))
                && !name.startsWith("org.mprof.agent.patch.")
                && !KEPT.contains(name.substring(name.lastIndexOf('.') + 1));
        if (wanted) {
          note(Class.forName(name));
        }
      }
    }
  }

  private static void note(Class<?> type) throws IllegalAccessException {
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        continue;
      }
      field.setAccessible(true);
      Object value = field.get(null);
      if (!Modifier.isFinal(field.getModifiers())) {
        AT_START.put(field, value);
      } else if (value instanceof AtomicInteger) {
        COUNTERS.add((AtomicInteger) value);
      } else if (value instanceof Throwable[] || value instanceof Thread[]) {
        REMEMBERED.add((Object[]) value);
      } else if (value instanceof Collection && !field.getName().equals("COPIERS")) {
        COLLECTIONS.add((Collection<?>) value);
      }
    }
  }

  /** Begins as {@link Agent#start} does; what {@link Premain} would catch is thrown. */
  public static void begin(String arguments, String attempt) throws Throwable {
    Events.close();
    for (Map.Entry<Field, Object> each : AT_START.entrySet()) {
      each.getKey().set(null, each.getValue());
    }
    for (Collection<?> each : COLLECTIONS) {
      each.clear();
    }
    for (AtomicInteger each : COUNTERS) {
      each.set(0);
    }
    for (Object[] each : REMEMBERED) {
      Arrays.fill(each, null);
    }
    copiers().clear();
    copiers().addAll(copiers);
    if (GcWatch.hasEnded()) {
      // An earlier task has filled the heap.
      Field ended = GcWatch.class.getDeclaredField("ended");
      ended.setAccessible(true);
      ended.set(null, false);
      GcWatch.start();
    }
    for (int slot = 0; slot < Position.SLOTS; slot++) {
      Position.put(slot, slot == Position.PHASE || slot == Position.ERRORS ? 0 : Position.UNKNOWN);
    }
    Settings settings = Settings.parse(arguments, Complaints.IGNORED);
    Settings.use(settings);
    String task = Attempt.of(attempt, new File(".")).planName();
    Plan plan = Plan.read(new File(settings.plan()), task, settings.mode(), Complaints.IGNORED);
    Plan.use(plan);
    if (call("open", attempt, settings) != null) {
      Failures.prepare();
      LeaveOut.configure(plan);
      Verify.configure(plan);
      Probes.configure(plan);
      Histograms.configure(plan.mode(), settings);
      OomDump.arm(plan.mode());
      call("startCopying", settings);
    }
  }

  /** Ends as at the end of the JVM: in a thread of its own, which ends with what it throws. */
  public static void end() throws Exception {
    Thread ending = new Thread(Ending::now, "mprof end");
    ending.start();
    ending.join();
    Field field = Copying.class.getDeclaredField("thread");
    field.setAccessible(true);
    Thread copying = (Thread) field.get(null);
    while (copying != null && copying.isAlive()) {
      // Again, where a file system has kept it to itself.
      copying.interrupt();
      copying.join(100);
    }
  }

  /** Whether the agent takes this attempt for one that cannot succeed any more. */
  public static boolean isCertainToFail() {
    return Ending.isCertain();
  }

  /** Faults that were caught in the hooks and elsewhere since the task began. */
  public static long faults() {
    return Position.get(Position.ERRORS);
  }

  /** The thread's look at everything, now. */
  public static void tick() throws Exception {
    ProcessMemory.tick();
    OomDump.tick();
    Histograms.tick();
  }

  /** As the agent's thread, where the task has crawled in a full heap for long. */
  public static void crawls() {
    try {
      OomDump.crawls();
    } catch (Throwable fault) {
      Faults.caught(fault, "ticker");
    }
  }

  private static Object call(String name, Object... arguments) throws Throwable {
    for (Method each : Agent.class.getDeclaredMethods()) {
      if (each.getName().equals(name) && each.getParameterCount() == arguments.length) {
        each.setAccessible(true);
        try {
          return each.invoke(null, arguments);
        } catch (java.lang.reflect.InvocationTargetException e) {
          throw e.getCause();
        }
      }
    }
    throw new NoSuchMethodException(name);
  }

  @SuppressWarnings("unchecked")
  private static List<CaptureCopier> copiers() throws Exception {
    Field field = Copying.class.getDeclaredField("COPIERS");
    field.setAccessible(true);
    return (List<CaptureCopier>) field.get(null);
  }

  private static List<String> classesOf(Class<?> home) throws Exception {
    List<String> names = new ArrayList<>();
    URL source = home.getProtectionDomain().getCodeSource().getLocation();
    File place = new File(source.toURI());
    if (place.isDirectory()) {
      find(place, "", names);
    } else {
      try (JarFile jar = new JarFile(place)) {
        for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
          add(all.nextElement().getName(), names);
        }
      }
    }
    return names;
  }

  private static void find(File folder, String path, List<String> names) {
    File[] files = folder.listFiles();
    for (File each : files == null ? new File[0] : files) {
      if (each.isDirectory()) {
        find(each, path + each.getName() + "/", names);
      } else {
        add(path + each.getName(), names);
      }
    }
  }

  private static void add(String file, List<String> names) {
    if (file.endsWith(".class")) {
      names.add(file.substring(0, file.length() - 6).replace('/', '.'));
    }
  }
}
