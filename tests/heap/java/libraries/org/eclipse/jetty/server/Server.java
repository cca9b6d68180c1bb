package org.eclipse.jetty.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server that calls handlers: its objects lead to each other, as those of any server do. */
public final class Server {
  static final List<Server> RUNNING = new ArrayList<>();

  final List<Request> open = new ArrayList<>();
  final Handler handler;
  final Config config;

  /** Of the program's. */
  public interface Handler {
    void handle(Request request);
  }

  /** Leads from a handler to the server. */
  public static final class Config {
    Server server;
  }

  /** One that is not answered yet. */
  public static final class Request {
    final Server server;
    final Map<String, Object> attributes = new HashMap<>();

    Request(Server server) {
      this.server = server;
    }

    public void setAttribute(String name, Object value) {
      attributes.put(name, value);
    }
  }

  public Server(Handler handler, Config config) {
    this.handler = handler;
    this.config = config;
    config.server = this;
    RUNNING.add(this);
  }

  public Thread start() {
    Thread thread = new Thread(this::serve, "qtp-1");
    thread.start();
    return thread;
  }

  private void serve() {
    while (true) {
      accept(new Request(this));
    }
  }

  private void accept(Request request) {
    open.add(request);
    handler.handle(request);
  }
}
