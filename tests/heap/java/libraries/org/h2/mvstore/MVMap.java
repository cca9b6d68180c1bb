package org.h2.mvstore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Fields as H2 2 calls its own: a tree of pages, of which an inner one counts what is below it. */
public final class MVMap {
  private final AtomicReference<RootReference> root = new AtomicReference<>(new RootReference());

  static final class RootReference {
    final Page root = new Page();
  }

  static final class Page {
    final PageReference[] children = {new PageReference()};
    long totalCount;
  }

  static final class PageReference {
    final Leaf page = new Leaf();
  }

  static final class Leaf {
    Object[] values = new Object[16];
  }

  void append(Object row) {
    Page page = root.get().root;
    Leaf leaf = page.children[0].page;
    if (page.totalCount == leaf.values.length) {
      leaf.values = Arrays.copyOf(leaf.values, 2 * leaf.values.length);
    }
    leaf.values[(int) page.totalCount++] = row;
  }

  /** A database of one table. */
  public static final class Database {
    static final List<Database> DATABASES = new ArrayList<>();
    final ConcurrentHashMap<String, MVMap> maps = new ConcurrentHashMap<>();
  }

  /** What a program has of it. */
  public static final class Connection {
    final Database database = new Database();

    public Connection() {
      Database.DATABASES.add(database);
    }

    public Statement prepare(String table) {
      database.maps.put(table, new MVMap());
      return new Statement(this, table);
    }
  }

  /** Its own object refers to the connection; it has no part of the database. */
  public static final class Statement {
    private final Connection connection;
    private final String table;

    Statement(Connection connection, String table) {
      this.connection = connection;
      this.table = table;
    }

    public void insert(byte[] row) {
      connection.database.maps.get(table).append(row);
    }
  }
}
