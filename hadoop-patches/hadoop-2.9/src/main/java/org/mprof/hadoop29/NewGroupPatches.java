package org.mprof.hadoop29;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.patch.HasState;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.CombinePass;
import org.mprof.hadoop.GroupWalk;
import org.mprof.hadoop.ReduceWalk;

/**
 * Groups and records of the new API's reduce() and combine(), which share a context class.
 *
 * <p>{@code nextKeyValue} asks for the key of the record under the raw iterator's cursor and
 * deserialises it, does the same with the value, moves the cursor on, and asks for the next key to
 * compare it.
 */
final class NewGroupPatches {
  private static final String HOOKS = "org/mprof/hadoop29/NewGroupPatches$Hooks";
  private static final String CONTEXT = "org/apache/hadoop/mapreduce/task/ReduceContextImpl";
  private static final String WALK = "Lorg/mprof/hadoop/GroupWalk;";
  private static final String RAW = "Lorg/apache/hadoop/mapred/RawKeyValueIterator;";
  private static final String IN = "Lorg/apache/hadoop/io/DataInputBuffer;";
  private static final String BUFFER = "()" + IN;
  private static final String RAW_NAME = "org/apache/hadoop/mapred/RawKeyValueIterator";

  private NewGroupPatches() {}

  static List<Patch> rows() {
    Value walk = Value.field("mprof$walk", WALK);
    return Arrays.asList(
        Patch.in(CONTEXT)
            .addField("mprof$walk", WALK)
            .since("0.23.11")
            .because("where this context stands"),
        Patch.in(CONTEXT)
            .method("<init>")
            .onEnter()
            .call(
                HOOKS,
                "opened",
                "(Ljava/lang/Object;Ljava/lang/Object;Lorg/apache/hadoop/io/RawComparator;)V",
                Value.self(),
                Value.argument(3),
                Value.argument(8))
            .since("0.23.11")
            .because("a combiner's context has no counter of keys"),
        Patch.in(CONTEXT)
            .method("<init>")
            .afterCall(RAW_NAME, "next", "()Z")
            .call(
                HOOKS,
                "advanced",
                "(Z" + WALK + RAW + ")Z",
                Value.returned(),
                walk,
                Value.receiver())
            .since("0.23.11")
            .because("verify mode goes on to its record"),
        Patch.in(CONTEXT)
            .method("nextKeyValue", "()Z")
            .beforeCall(RAW_NAME, "next", "()Z")
            .call(HOOKS, "moves", "(" + WALK + ")V", walk)
            .since("0.23.11")
            .because("after a failure: whether the iterator stands on a record"),
        Patch.in(CONTEXT)
            .method("nextKeyValue", "()Z")
            .afterCall(RAW_NAME, "next", "()Z")
            .call(HOOKS, "advanced", "(Z" + WALK + ")Z", Value.returned(), walk)
            .since("0.23.11")
            .because("verify mode withholds what follows its record"),
        Patch.in(CONTEXT)
            .method("nextKey", "()Z")
            .onEnter()
            .call(HOOKS, "asks", "(" + WALK + ")V", walk)
            .since("0.23.11")
            .because("the call for the group before returned"),
        Patch.in(CONTEXT)
            .method("nextKey", "()Z")
            .onReturn()
            .call(HOOKS, "answered", "(Z" + WALK + ")V", Value.returned(), walk)
            .since("0.23.11")
            .because("the end of the groups"),
        Patch.in(CONTEXT)
            .method("nextKeyValue", "()Z")
            .afterCall(RAW_NAME, "getKey", BUFFER)
            .occurrence(1)
            .call(
                HOOKS,
                "keyRead",
                "(" + IN + WALK + "Z" + RAW + ")V",
                Value.returned(),
                walk,
                Value.field("nextKeyIsSame", "Z"),
                Value.receiver())
            .since("0.23.11")
            .because("group and record before they are deserialised"),
        Patch.in(CONTEXT)
            .method("nextKeyValue", "()Z")
            .onReturn()
            .call(
                HOOKS,
                "has",
                "(Z" + WALK + "ZLjava/lang/Object;)V",
                Value.returned(),
                walk,
                Value.field("nextKeyIsSame", "Z"),
                Value.field("key", "Ljava/lang/Object;"))
            .since("0.23.11")
            .because(
                "the end of the input; whether the next record is of this group; the key as text,"
                    + " where asked for"));
  }

  /** Called from {@code ReduceContextImpl}. */
  public static final class Hooks {
    private Hooks() {}

    public static void opened(Object context, Object keyCounter, RawComparator<?> comparator) {
      GroupWalk walk = keyCounter == null ? CombinePass.walkInOrder() : new ReduceWalk();
      if (walk != null) {
        walk.groupedBy(comparator);
        ((HasState) context).mprof$state(walk);
      }
    }

    public static boolean advanced(boolean more, GroupWalk walk, RawKeyValueIterator in) {
      return walk == null ? more : walk.advance(more, in);
    }

    public static boolean advanced(boolean more, GroupWalk walk) {
      return walk == null ? more : walk.advance(more);
    }

    public static void moves(GroupWalk walk) {
      if (walk != null) {
        walk.moves();
      }
    }

    public static void asks(GroupWalk walk) {
      if (walk != null) {
        walk.asks();
        walk.returned();
      }
    }

    public static void answered(boolean more, GroupWalk walk) {
      if (!more && walk != null) {
        walk.inputEnd();
      }
    }

    public static void keyRead(
        DataInputBuffer key, GroupWalk walk, boolean sameKey, RawKeyValueIterator in)
        throws IOException {
      if (walk != null) {
        walk.comes(key, sameKey, in);
      }
    }

    public static void has(boolean record, GroupWalk walk, boolean nextIsSame, Object key) {
      if (walk == null) {
        return;
      }
      if (!record) {
        walk.inputEnd();
        return;
      }
      walk.compared(nextIsSame);
      if (walk.wantsKey()) {
        walk.key(key);
      }
    }
  }
}
