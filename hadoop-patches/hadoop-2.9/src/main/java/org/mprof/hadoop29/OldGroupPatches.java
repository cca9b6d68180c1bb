package org.mprof.hadoop29;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task;
import org.mprof.agent.patch.HasState;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.CombinePass;
import org.mprof.hadoop.GroupWalk;
import org.mprof.hadoop.ReduceWalk;

/**
 * Groups and records of the old API's reduce() and combine(), which share an iterator class.
 *
 * <p>{@code next} deserialises the value under the raw iterator's cursor ({@code readNextValue})
 * and then moves the cursor and deserialises the next key ({@code readNextKey}). {@code nextKey}
 * moves on over values that were not asked for.
 */
final class OldGroupPatches {
  private static final String HOOKS = "org/mprof/hadoop29/OldGroupPatches$Hooks";
  private static final String VALUES = "org/apache/hadoop/mapred/Task$ValuesIterator";
  private static final String WALK = "Lorg/mprof/hadoop/GroupWalk;";
  private static final String RAW = "Lorg/apache/hadoop/mapred/RawKeyValueIterator;";
  private static final String RAW_NAME = "org/apache/hadoop/mapred/RawKeyValueIterator";
  private static final String IN = "Lorg/apache/hadoop/io/DataInputBuffer;";
  private static final String BUFFER = "()" + IN;
  private static final String OBJECT = "Ljava/lang/Object;";

  private OldGroupPatches() {}

  static List<Patch> rows() {
    Value walk = Value.field("mprof$walk", WALK);
    Value in = Value.field("in", RAW);
    Value more = Value.field("more", "Z");
    Value key = Value.field("key", OBJECT);
    String arrives = "(" + WALK + RAW + "Z" + OBJECT + ")V";
    return Arrays.asList(
        Patch.in(VALUES)
            .addField("mprof$walk", WALK)
            .since("0.20.2")
            .because("where this iterator stands"),
        Patch.in(VALUES)
            .method("<init>")
            .onEnter()
            .call(
                HOOKS,
                "opened",
                "(" + OBJECT + "Lorg/apache/hadoop/io/RawComparator;)V",
                Value.self(),
                Value.argument(1))
            .since("0.20.2")
            .because("reduce() or combine(), told by the subclass"),
        Patch.in(VALUES)
            .method("<init>")
            .onReturn()
            .call(HOOKS, "arrived", arrives, walk, in, more, key)
            .since("0.20.2")
            .because("the first group"),
        Patch.in(VALUES)
            .method("nextKey")
            .onEnter()
            .call(HOOKS, "returned", "(" + WALK + ")V", walk)
            .since("0.20.2")
            .because("the call for a group returned"),
        Patch.in(VALUES)
            .method("nextKey")
            .onReturn()
            .call(HOOKS, "arrived", arrives, walk, in, more, key)
            .since("0.20.2")
            .because("the next group, or the end of the groups"),
        Patch.in(VALUES)
            .method("readNextValue")
            .afterCall(RAW_NAME, "getValue", BUFFER)
            .call(
                HOOKS,
                "valueRead",
                "(" + IN + WALK + RAW + ")V",
                Value.returned(),
                walk,
                Value.receiver())
            .since("0.20.2")
            .because("a record before its value is deserialised"),
        Patch.in(VALUES)
            .method("readNextKey")
            .afterCall(RAW_NAME, "getKey", BUFFER)
            .call(HOOKS, "keyRead", "(" + IN + WALK + ")V", Value.returned(), walk)
            .since("0.20.2")
            .because("the key of a record before it is deserialised"),
        Patch.in(VALUES)
            .method("readNextKey")
            .onEnter()
            .call(HOOKS, "leaves", "(" + WALK + RAW + ")V", walk, in)
            .since("0.20.2")
            .because("a record that is passed over still belongs to its group"),
        Patch.in(VALUES)
            .method("readNextKey")
            .afterCall(RAW_NAME, "next", "()Z")
            .call(
                HOOKS,
                "advanced",
                "(Z" + WALK + RAW + ")Z",
                Value.returned(),
                walk,
                Value.receiver())
            .since("0.20.2")
            .because("verify mode goes on to its record"));
  }

  /** Called from {@code Task.ValuesIterator}. */
  public static final class Hooks {
    private Hooks() {}

    public static void opened(Object values, RawComparator<?> comparator) {
      GroupWalk walk =
          values instanceof Task.CombineValuesIterator ? CombinePass.walk() : new ReduceWalk();
      if (walk != null) {
        walk.groupedBy(comparator);
        ((HasState) values).mprof$state(walk);
      }
    }

    public static void arrived(GroupWalk walk, RawKeyValueIterator in, boolean more, Object key)
        throws IOException {
      if (walk == null) {
        return;
      }
      if (more) {
        walk.begin(in.getKey());
        if (walk.wantsKey()) {
          walk.key(key);
        }
      } else {
        walk.inputEnd();
      }
    }

    public static void returned(GroupWalk walk) {
      if (walk != null) {
        walk.returned();
      }
    }

    public static void keyRead(DataInputBuffer key, GroupWalk walk) {
      if (walk != null) {
        walk.keyRead(key);
      }
    }

    public static void valueRead(DataInputBuffer value, GroupWalk walk, RawKeyValueIterator in) {
      if (walk != null) {
        walk.hand(value, in);
      }
    }

    public static void leaves(GroupWalk walk, RawKeyValueIterator in) throws IOException {
      if (walk != null) {
        walk.leave(in);
      }
    }

    public static boolean advanced(boolean more, GroupWalk walk, RawKeyValueIterator in) {
      return walk == null ? more : walk.advance(more, in);
    }
  }
}
