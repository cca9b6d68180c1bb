package com.example.script;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;

/** What a task keeps, for how long, and by which laws: one line of the job's configuration. */
public final class Script {
  private static final int CHUNK = 8192;
  private static byte[][] room;

  /** Everything that is kept, in the order in which it is loaded or grows. */
  public final List<Keeper> keepers = new ArrayList<>();

  /** Sort buffer in megabytes, 0 for the job's. */
  public final int bufferMb;

  /** Share of the heap that the shuffle may take, where a task has one of its own. */
  public final float ratio;

  private final long taken;

  private Script(String text) {
    String[] lines = text.split(";", -1);
    String[] head = lines[0].split("\\|", -1);
    taken = Long.parseLong(head[0]);
    bufferMb = Integer.parseInt(head[1]);
    ratio = Float.parseFloat(head[2]);
    for (int i = 1; i < lines.length; i++) {
      keepers.add(new Keeper(lines[i].split("\\|", -1)));
    }
  }

  /** The script of a task: that of its input, else of its number, else that of all. */
  public static Script of(Configuration conf, int number) {
    return new Script(conf.get("script.own", conf.get("script." + number, conf.get("script"))));
  }

  /** The script of what is in a file of the input, whose number stands in its name; noted. */
  public static Script of(Configuration conf, Path file) {
    int number = Integer.parseInt(file.getName().replaceAll("\\D", ""));
    conf.set("script.own", conf.get("script." + number, conf.get("script")));
    return of(conf, number);
  }

  /** Takes away room, where a task is to have less. */
  public void takeRoom() {
    if (taken > 0 && room == null) {
      room = new byte[(int) (taken / CHUNK)][];
      for (int i = 0; i < room.length; i++) {
        room[i] = new byte[CHUNK - 16];
      }
    }
  }

  /** Those of one lifetime. */
  public List<Keeper> of(String level) {
    List<Keeper> found = new ArrayList<>();
    for (Keeper each : keepers) {
      if (each.level.equals(level)) {
        found.add(each);
      }
    }
    return found;
  }

  /** Reads a file from its beginning to its end. */
  public static void read(Keeper keeper, Configuration conf) throws IOException {
    if (keeper.file.isEmpty()) {
      return;
    }
    byte[] chunk = new byte[CHUNK];
    Path path = new Path("file://" + keeper.file);
    try (InputStream in =
        keeper.seen
            ? path.getFileSystem(conf).open(path)
            : Files.newInputStream(Paths.get(keeper.file))) {
      while (in.read(chunk) >= 0) {}
    }
  }

  /** The first number at the head of a record: how much work it makes. */
  public static double work(Text record) {
    return number(record, 0);
  }

  /** The second one: how much of that is left. */
  public static double damped(Text record) {
    return number(record, record.find(",") + 1);
  }

  private static double number(Text record, int from) {
    byte[] bytes = record.getBytes();
    double found = 0;
    double digit = 0;
    for (int i = from; i < record.getLength(); i++) {
      int one = bytes[i];
      if (one == '.') {
        digit = 1;
      } else if (one >= '0' && one <= '9') {
        digit /= 10;
        found = digit == 0 ? found * 10 + one - '0' : found + digit * (one - '0');
      } else {
        break;
      }
    }
    return found;
  }
}
