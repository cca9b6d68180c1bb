package org.mprof.agent.patch;

/**
 * A value at a patched point that a hook receives as an argument.
 *
 * <p>There is none for local variables: reading a slot that holds something else in another build
 * of Hadoop would make the verifier refuse the whole class.
 */
public final class Value {
  enum Kind {
    SELF,
    ARGUMENT,
    RETURNED,
    THROWN,
    FIELD,
    RECEIVER,
    CALL_ARGUMENT,
    CONSTANT
  }

  final Kind kind;
  final int index;
  final String owner;
  final String name;
  final String descriptor;

  private Value(Kind kind, int index, String owner, String name, String descriptor) {
    this.kind = kind;
    this.index = index;
    this.owner = owner;
    this.name = name;
    this.descriptor = descriptor;
  }

  /** {@code this} of the patched method. */
  public static Value self() {
    return new Value(Kind.SELF, 0, null, null, null);
  }

  /** An argument of the patched method, from 0. */
  public static Value argument(int index) {
    return new Value(Kind.ARGUMENT, index, null, null, null);
  }

  /**
   * What is returned: by the method at a return, by the call after a call. A hook that returns a
   * value of that type replaces it.
   */
  public static Value returned() {
    return new Value(Kind.RETURNED, 0, null, null, null);
  }

  /** What is thrown, at a throw. */
  public static Value thrown() {
    return new Value(Kind.THROWN, 0, null, null, null);
  }

  /** A field of {@code this} that its own class declares. */
  public static Value field(String name, String descriptor) {
    return new Value(Kind.FIELD, 0, null, name, descriptor);
  }

  /** A field of {@code this} that a superclass declares and this class can see. */
  public static Value field(String owner, String name, String descriptor) {
    return new Value(Kind.FIELD, 0, owner, name, descriptor);
  }

  /** The object that the call before or after which we stand is made on. */
  public static Value receiver() {
    return new Value(Kind.RECEIVER, 0, null, null, null);
  }

  /** An argument of that call, from 0. */
  public static Value callArgument(int index) {
    return new Value(Kind.CALL_ARGUMENT, index, null, null, null);
  }

  /** A number that tells rows with the same hook apart. */
  public static Value constant(int number) {
    return new Value(Kind.CONSTANT, number, null, null, "I");
  }

  @Override
  public String toString() {
    switch (kind) {
      case ARGUMENT:
      case CALL_ARGUMENT:
      case CONSTANT:
        return kind + "(" + index + ")";
      case FIELD:
        return kind + "(" + name + ")";
      default:
        return kind.toString();
    }
  }
}
