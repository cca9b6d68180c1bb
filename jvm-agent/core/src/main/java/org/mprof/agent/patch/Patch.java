package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One row of the table of patches: a class, a method, a point in it, and the hook that is called
 * there.
 *
 * <pre>{@code
 * Patch.in("org/apache/hadoop/mapred/MapTask$NewTrackingRecordReader")
 *     .method("nextKeyValue", "()Z")
 *     .onReturn()
 *     .call("org/mprof/hadoop/RecordReading", "read", "(ZLjava/lang/Object;)Z",
 *         Value.returned(), Value.self())
 *     .since("0.20.2")
 *     .because("counts the records that map() is given")
 * }</pre>
 *
 * <p>Names are internal names, with slashes. The hook is a public static method whose parameters
 * receive the values in order; an {@code int} widens to {@code long}. Where the hook returns a
 * value, at a return or after a call, it replaces what was returned.
 *
 * <p>Whatever a hook throws is caught, reported and dropped, and a replaced value then stays as it
 * was; {@link Builder#mayFailTask()} lets a {@code MarkedFailure} through, and nothing else.
 */
public final class Patch {
  /** By number: what a patched class knows of its row is a number, see {@link #numbered}. */
  private static final List<Patch> ALL = new ArrayList<>();

  final String className;
  final String method;
  final String descriptor;
  final Point point;
  final String callOwner;
  final String callName;
  final String callDescriptor;
  final int occurrence;
  final String hookOwner;
  final String hookName;
  final String hookDescriptor;
  final List<Value> values;
  final boolean mayFailTask;
  final boolean optional;
  final String since;
  final String until;
  final String reason;
  final int number;

  private Patch(Builder b, String reason) {
    this.className = b.className;
    this.method = b.method;
    this.descriptor = b.descriptor;
    this.point = b.point;
    this.callOwner = b.callOwner;
    this.callName = b.callName;
    this.callDescriptor = b.callDescriptor;
    this.occurrence = b.occurrence;
    this.hookOwner = b.hookOwner;
    this.hookName = b.hookName;
    this.hookDescriptor = b.hookDescriptor;
    this.values = b.values;
    this.mayFailTask = b.mayFailTask;
    this.optional = b.optional;
    this.since = b.since;
    this.until = b.until;
    this.reason = reason;
    synchronized (ALL) {
      this.number = ALL.size();
      ALL.add(this);
    }
  }

  /** The row of that number, or null. */
  public static Patch numbered(int number) {
    synchronized (ALL) {
      return number >= 0 && number < ALL.size() ? ALL.get(number) : null;
    }
  }

  /** The rows of each class, by its internal name; both in the order of {@code rows}. */
  public static Map<String, List<Patch>> byClass(List<Patch> rows) {
    Map<String, List<Patch>> table = new LinkedHashMap<>();
    for (Patch row : rows) {
      List<Patch> own = table.get(row.className);
      if (own == null) {
        own = new ArrayList<>();
        table.put(row.className, own);
      }
      own.add(row);
    }
    return table;
  }

  /** Begins a row for a class. */
  public static Builder in(String className) {
    return new Builder(className);
  }

  /** The class it changes, with slashes. */
  public String className() {
    return className;
  }

  /** The method it changes. */
  public String method() {
    return method;
  }

  /** Descriptor of that method, or null for all of that name. */
  public String descriptor() {
    return descriptor;
  }

  public Point point() {
    return point;
  }

  /** The class of the hook, with slashes; null where no hook is called. */
  public String hookOwner() {
    return hookOwner;
  }

  public String hookName() {
    return hookName;
  }

  public String hookDescriptor() {
    return hookDescriptor;
  }

  /** The Hadoop version that added what is hooked. */
  public String since() {
    return since;
  }

  /** The Hadoop version that removed it, or null. */
  public String until() {
    return until;
  }

  /** What the row is for. */
  public String reason() {
    return reason;
  }

  /** The method it changes with its class, such as {@code package.Class.name}. */
  public String target() {
    return className.replace('/', '.') + '.' + method;
  }

  /** The row in one line, for events and tests. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(target());
    text.append(descriptor == null ? "" : descriptor);
    text.append(' ').append(point);
    if (callName != null) {
      text.append(' ').append(callOwner == null ? "*" : callOwner.replace('/', '.'));
      text.append('.').append(callName).append(callDescriptor == null ? "" : callDescriptor);
    }
    if (hookOwner != null) {
      text.append(" -> ").append(hookOwner.replace('/', '.')).append('.').append(hookName);
    }
    return text.toString();
  }

  /** A row being written; {@link #because} ends it. */
  public static final class Builder {
    private final String className;
    private String method;
    private String descriptor;
    private Point point;
    private String callOwner;
    private String callName;
    private String callDescriptor;
    private int occurrence;
    private String hookOwner;
    private String hookName;
    private String hookDescriptor;
    private List<Value> values = Collections.emptyList();
    private boolean mayFailTask;
    private boolean optional;
    private String since;
    private String until;

    private Builder(String className) {
      this.className = className;
    }

    /** All methods of that name that have code. */
    public Builder method(String name) {
      return method(name, null);
    }

    /** One method. */
    public Builder method(String name, String methodDescriptor) {
      this.method = name;
      this.descriptor = methodDescriptor;
      return this;
    }

    public Builder onEnter() {
      return at(Point.ENTER);
    }

    public Builder onReturn() {
      return at(Point.RETURN);
    }

    public Builder onThrow() {
      return at(Point.THROW);
    }

    /** Before each call of a method in the patched one; owner and descriptor null for any. */
    public Builder beforeCall(String owner, String name, String callDescriptor) {
      return at(Point.BEFORE_CALL).callee(owner, name, callDescriptor);
    }

    /** After each call of a method in the patched one; owner and descriptor null for any. */
    public Builder afterCall(String owner, String name, String callDescriptor) {
      return at(Point.AFTER_CALL).callee(owner, name, callDescriptor);
    }

    /** Only the n-th of those calls in the order of the byte code, from 1. */
    public Builder occurrence(int number) {
      this.occurrence = number;
      return this;
    }

    /** The hook: a public static method, its descriptor, and what it receives. */
    public Builder call(String owner, String name, String hookDescriptor, Value... values) {
      this.hookOwner = owner;
      this.hookName = name;
      this.hookDescriptor = hookDescriptor;
      this.values = Collections.unmodifiableList(Arrays.asList(values.clone()));
      return this;
    }

    /**
     * Adds the field of {@link HasState}. With a descriptor other than {@code Ljava/lang/Object;}
     * the field has that type, and {@code Value.field(name, descriptor)} hands it over without a
     * cast.
     */
    public Builder addField(String name, String fieldDescriptor) {
      this.method = name;
      this.descriptor = fieldDescriptor;
      return at(Point.FIELD);
    }

    /**
     * Makes a private field readable: the class implements {@code interfaceName} (of the agent jar)
     * by a method {@code getter} that returns the field.
     */
    public Builder expose(
        String fieldName, String fieldDescriptor, String interfaceName, String getter) {
      this.method = fieldName;
      this.descriptor = fieldDescriptor;
      this.callOwner = interfaceName;
      this.callName = getter;
      return at(Point.GETTER);
    }

    /** The hook may end the task by throwing {@code MarkedFailure}; for verify mode alone. */
    public Builder mayFailTask() {
      this.mayFailTask = true;
      return this;
    }

    /** Not finding the target is expected in some versions and not reported. */
    public Builder optional() {
      this.optional = true;
      return this;
    }

    /** The Hadoop version that added what is hooked. */
    public Builder since(String version) {
      this.since = version;
      return this;
    }

    /** The Hadoop version that removed it. */
    public Builder until(String version) {
      this.until = version;
      return this;
    }

    /** Ends the row with what it is for. */
    public Patch because(String reason) {
      if (point == null || method == null || (hookOwner == null) == point.isHook()) {
        throw new IllegalStateException("incomplete patch of " + className);
      }
      return new Patch(this, reason);
    }

    private Builder at(Point where) {
      this.point = where;
      return this;
    }

    private Builder callee(String owner, String name, String calleeDescriptor) {
      this.callOwner = owner;
      this.callName = name;
      this.callDescriptor = calleeDescriptor;
      return this;
    }
  }
}
