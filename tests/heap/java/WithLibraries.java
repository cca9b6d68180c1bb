package shop;

import io.netty.buffer.PoolArena;
import java.util.ArrayDeque;
import java.util.Queue;
import org.eclipse.jetty.server.Server;
import org.h2.mvstore.MVMap;

/** Programs that die of a full heap, which objects of a library hold. */
public final class WithLibraries {
  private WithLibraries() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "statement":
        audit();
        break;
      case "waiting":
        serve(new Feed());
        break;
      case "unanswered":
        serve(new Poll());
        break;
      case "pooled":
        inThread("encoder-1", () -> encode(0));
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }

  private static void inThread(String name, Runnable work) throws InterruptedException {
    Thread thread = new Thread(work, name);
    thread.start();
    thread.join();
  }

  /** The main thread has the connection and waits; the other one has a statement of it. */
  private static void audit() throws InterruptedException {
    MVMap.Connection connection = new MVMap.Connection();
    inThread("audit-writer", () -> write(connection.prepare("audit")));
  }

  private static void write(MVMap.Statement statement) {
    while (true) {
      statement.insert(new byte[1000]);
    }
  }

  private static void serve(Handling handling) throws InterruptedException {
    Server server = new Server(handling, handling.config);
    server.start().join();
  }

  /** Leads to the server by its configuration, whose name comes first. */
  abstract static class Handling implements Server.Handler {
    final Server.Config config = new Server.Config();
  }

  /** Keeps the requests that wait. */
  static final class Feed extends Handling {
    private final Queue<Server.Request> waiting = new ArrayDeque<>();

    @Override
    public void handle(Server.Request request) {
      request.setAttribute("rows", new byte[2000]);
      waiting.add(request);
    }
  }

  /** Leaves them to the server. */
  static final class Poll extends Handling {
    private int count;

    @Override
    public void handle(Server.Request request) {
      count++;
      request.setAttribute("answer", new byte[2000 + count % 2]);
    }
  }

  /** Buffers that nobody gives back. */
  private static void encode(int number) {
    for (int i = number; ; i++) {
      PoolArena.Pool.DEFAULT.allocate(1000 + i % 2);
    }
  }
}
