package com.example.index;

import com.example.script.Keeper;
import com.example.script.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** What a mapper or a reducer keeps for longer than a record or a group: each in its own field. */
final class Index {
  private static Map<Integer, byte[]> cache = new HashMap<>();
  private static Map<Integer, byte[]> synonyms = new HashMap<>();
  private static Map<Integer, byte[]> stopWords = new HashMap<>();

  private List<byte[]> rows = new ArrayList<>();
  private List<byte[]> recent = new ArrayList<>();
  private List<byte[]> archive = new ArrayList<>();
  private List<String> titles = new ArrayList<>();
  private Map<Integer, byte[]> counts = new HashMap<>();
  private Map<Integer, byte[]> model = new HashMap<>();
  private Map<Integer, byte[]> glossary = new HashMap<>();
  private Object[] table = new Object[1];
  private Object[] slots = new Object[1];
  private Page pages;
  private double[][] matrix;
  private double[][] weights;

  private final Configuration conf;
  private final List<Keeper> kept;
  private Keeper young;
  private Keeper old;

  /** Loads what is loaded before the first record. */
  Index(Script script, String level, Configuration conf) throws IOException {
    this.conf = conf;
    kept = script.of(level);
    for (Keeper each : kept) {
      young = each.slot.equals("recent") ? each : young;
      old = each.slot.equals("archive") ? each : old;
    }
    for (Keeper each : script.of("setup")) {
      each.load();
      Script.read(each, conf);
      grow(each);
    }
  }

  /** Keeps what the law of each thing wants of one more record. */
  void add(int length, boolean beginsGroup) throws IOException {
    for (Keeper each : kept) {
      each.take(length, beginsGroup);
      if (each.count == 0 && each.missing() > 0) {
        Script.read(each, conf);
      }
      keep(each);
    }
  }

  private void keep(Keeper keeper) {
    if (keeper == young && keeper.isEmptied()) {
      archive.addAll(recent);
      old.count += young.count;
      empty(keeper);
    }
    grow(keeper);
    if (keeper.isFlushed()) {
      empty(keeper);
    }
  }

  private void grow(Keeper keeper) {
    switch (keeper.slot) {
      case "rows":
        Filling.rows(rows, keeper);
        break;
      case "recent":
        Filling.rows(recent, keeper);
        break;
      case "archive":
        Filling.rows(archive, keeper);
        break;
      case "titles":
        Filling.titles(titles, keeper);
        break;
      case "counts":
        Filling.counts(counts, keeper);
        break;
      case "model":
        Filling.counts(model, keeper);
        break;
      case "glossary":
        Filling.counts(glossary, keeper);
        break;
      case "cache":
        Filling.counts(cache, keeper);
        break;
      case "synonyms":
        Filling.counts(synonyms, keeper);
        break;
      case "stopWords":
        Filling.counts(stopWords, keeper);
        break;
      case "pool":
        Filling.pool(keeper);
        break;
      case "pages":
        pages = Filling.pages(pages, keeper);
        break;
      case "table":
        table = Filling.table(table, keeper);
        break;
      case "slots":
        slots = Filling.table(slots, keeper);
        break;
      case "matrix":
        matrix = Filling.matrix(keeper);
        break;
      case "weights":
        weights = Filling.matrix(keeper);
        break;
      default:
        throw new IllegalArgumentException(keeper.slot);
    }
  }

  private void empty(Keeper keeper) {
    keeper.count = 0;
    switch (keeper.slot) {
      case "rows":
        rows = new ArrayList<>();
        break;
      case "recent":
        recent = new ArrayList<>();
        break;
      case "titles":
        titles = new ArrayList<>();
        break;
      case "counts":
        counts = new HashMap<>();
        break;
      case "pages":
        pages = null;
        break;
      default:
        throw new IllegalArgumentException(keeper.slot);
    }
  }

  /** How many things are there; so that nothing is thought to be unused. */
  int size() {
    return rows.size() + (pages == null ? 0 : 1) + (matrix == null || weights == null ? 0 : 1);
  }
}
