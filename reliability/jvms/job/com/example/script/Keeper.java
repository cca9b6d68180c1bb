package com.example.script;

/** What one thing that is kept has to hold after each record: a law of growth, in elements. */
public final class Keeper {
  private static final double NEARLY = 1e-9;
  private static final double ARRAY = 0.4;

  /** Where it is kept. */
  public final String slot;

  /** How long: setup, map, reduce, group or record. */
  public final String level;

  /** Heap bytes of one of its elements. */
  public final int element;

  /** The file that it is loaded from; empty where there is none. */
  public final String file;

  /** Whether that is opened through Hadoop's file systems. */
  public final boolean seen;

  /** Elements that it holds. */
  public long count;

  /** Slots of the array of a doubling container. */
  public int slots = 1;

  private final String law;
  private final double parameter;
  private final double[] weights;
  private final String by;
  private final double scale;
  private final double bytes;
  private final boolean spiky;
  private double taken;
  private double start;
  private double wanted;
  private boolean emptied;
  private boolean flushed;

  Keeper(String[] words) {
    slot = words[0];
    level = words[1];
    law = words[2];
    parameter = Double.parseDouble(words[3]);
    weights = numbers(words[4]);
    by = words[5];
    scale = Double.parseDouble(words[6]);
    bytes = Double.parseDouble(words[7]);
    element = Integer.parseInt(words[8]);
    spiky = words[9].equals("spiky");
    file = words[10];
    seen = words[11].equals("seen");
  }

  private static double[] numbers(String text) {
    if (text.isEmpty()) {
      return new double[0];
    }
    String[] words = text.split(",");
    double[] found = new double[words.length];
    for (int i = 0; i < found.length; i++) {
      found[i] = Double.parseDouble(words[i]);
    }
    return found;
  }

  /** Takes one record in. */
  public void take(int length, boolean beginsGroup) {
    if (by.equals("bytes")) {
      taken += length;
    } else if (!by.equals("groups") || beginsGroup) {
      taken += 1;
    }
    grow(taken / scale);
  }

  /** What the next record is worked on with, for the work on it alone. */
  public void takeWork(int length, double work, double damped) {
    double each = (by.equals("bytes") ? length : 1) * bytes * damped;
    count = 0;
    wanted = spiky ? each * work : each;
  }

  /** The block that the next record lies in. */
  public void takeBlock() {
    int index = (int) Math.floor(taken / scale / parameter + NEARLY);
    double size = bytes * weights[index % weights.length];
    emptied = size != wanted;
    wanted = size;
    taken += 1;
  }

  /** All of it at once. */
  public void load() {
    wanted = bytes;
  }

  /** A new group has begun. */
  public void beginGroup() {
    taken = 0;
    start = 0;
    wanted = 0;
    count = 0;
    slots = 1;
  }

  private void grow(double t) {
    emptied = false;
    flushed = false;
    double k = parameter;
    switch (law) {
      case "linear":
        wanted = bytes * t;
        break;
      case "power":
        wanted = bytes * Math.pow(t, k);
        break;
      case "log":
        wanted = bytes * Math.log1p(k * t) / Math.log1p(k);
        break;
      case "n log n":
        wanted = bytes * t * Math.log1p(k * t) / Math.log1p(k);
        break;
      case "saturating":
        wanted = bytes * Math.expm1(-k * t) / Math.expm1(-k);
        break;
      case "cache":
        wanted = bytes * Math.min(t / k, 1);
        break;
      case "steps":
        wanted = bytes * Math.floor(t * k + NEARLY) / k;
        break;
      case "late":
        wanted = bytes * Math.max(0, (t - k) / (1 - k));
        break;
      case "lazy":
        wanted = t >= k ? bytes : 0;
        break;
      case "young":
        double young = bytes * (t - Math.floor(t / k + NEARLY) * k);
        emptied = young < wanted;
        wanted = young;
        break;
      case "old":
        wanted = bytes * Math.floor(t / k + NEARLY) * k;
        break;
      case "flushed":
        wanted = bytes * (t - start) / k;
        flushed = t - start >= k - 1e-12;
        start = flushed ? t : start;
        break;
      case "doubling":
        double filled = Math.max(t * k, 1);
        double top = Math.pow(2, Math.ceil(Math.log(Math.max(k, 1)) / Math.log(2) - NEARLY));
        double capacity = Math.pow(2, Math.ceil(Math.log(filled) / Math.log(2) - NEARLY));
        slots = (int) Math.max(1, ARRAY * bytes * capacity / top / 4);
        wanted = (1 - ARRAY) * bytes * t;
        break;
      default:
        throw new IllegalArgumentException(law);
    }
  }

  /** Whether it is emptied before it grows. */
  public boolean isEmptied() {
    return emptied;
  }

  /** Whether it is emptied once it has grown. */
  public boolean isFlushed() {
    return flushed;
  }

  /** How many elements are still to come. */
  public long missing() {
    return (long) (wanted / element) - count;
  }
}
