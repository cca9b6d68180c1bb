package org.example.orders;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;

/** A driver of JDBC for a database that is a log; like others it keeps a batch until it is sent. */
public class LogDriver implements Driver {
  static {
    try {
      DriverManager.registerDriver(new LogDriver());
    } catch (SQLException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  @Override
  public Connection connect(String url, Properties properties) {
    return acceptsURL(url) ? made(Connection.class, new LogConnection()) : null;
  }

  @Override
  public boolean acceptsURL(String url) {
    return url.startsWith("jdbc:log:");
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  private static <T> T made(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(LogDriver.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** What a call of nobody's answers. */
  private static Object nothing(Method method) {
    Class<?> type = method.getReturnType();
    if (type == boolean.class) {
      return false;
    }
    return type == int.class ? (Object) 0 : null;
  }

  /** A connection makes statements. */
  static class LogConnection implements InvocationHandler {
    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
      switch (method.getName()) {
        case "prepareStatement":
          return made(PreparedStatement.class, new LogStatement());
        case "getMetaData":
          return made(DatabaseMetaData.class, (self, call, given) ->
              call.getReturnType() == String.class ? "log" : nothing(call));
        default:
          return nothing(method);
      }
    }
  }

  /** A statement batches rows until they are executed. */
  static class LogStatement implements InvocationHandler {
    private final Object[] row = new Object[3];
    private final List<Object[]> batched = new ArrayList<>();

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
      switch (method.getName()) {
        case "setString":
        case "setLong":
          row[(Integer) arguments[0] - 1] = arguments[1];
          return null;
        case "addBatch":
          addBatch();
          return null;
        case "executeBatch":
          System.out.println(batched.size() + " rows");
          batched.clear();
          return new int[0];
        default:
          return nothing(method);
      }
    }

    private void addBatch() {
      batched.add(row.clone());
    }
  }
}
