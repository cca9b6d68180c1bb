package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.Failures;
import org.mprof.agent.Faults;
import org.mprof.agent.MarkedFailure;
import org.mprof.agent.Reason;
import org.mprof.agent.Verify;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * The method {@code mprof$hook$N} that is added to the patched class for one row: calls the hook
 * and catches what it throws.
 *
 * <p>A method of its own, because a handler in the middle of a patched method would lose what is on
 * the operand stack there. Everything that can fail to link (the hook, a field, a cast) happens
 * inside its try block, so that not even a linkage error reaches the caller. Nor does an error of
 * the handler itself: in a full heap even a string constant that is met for the first time cannot
 * be made, so the row is a number here, and a second handler drops whatever the first one throws.
 */
final class HookWrapper {
  private static final String FAILURES = Type.getInternalName(Failures.class);
  private static final String FAULTS = Type.getInternalName(Faults.class);
  private static final String MARKED = Type.getInternalName(MarkedFailure.class);
  private static final String VERIFY = Type.getInternalName(Verify.class);
  private static final String THROWABLE = "java/lang/Throwable";

  private final ClassPatcher owner;
  private final Patch patch;
  private final boolean isStatic;
  private final Type[] methodArguments;
  private final Type methodReturn;
  private final Type[] hookArguments;
  private final Type hookReturn;
  private final int version;
  private final boolean isInterface;
  private Reason problem;
  private int number;
  private int seenCalls;
  private String callDescriptor;
  private Type callReceiver;

  HookWrapper(
      ClassPatcher owner,
      Patch patch,
      int access,
      String method,
      String descriptor,
      int version,
      boolean isInterface) {
    this.owner = owner;
    this.patch = patch;
    this.isStatic = (access & Opcodes.ACC_STATIC) != 0;
    this.methodArguments = Type.getArgumentTypes(descriptor);
    this.methodReturn = Type.getReturnType(descriptor);
    this.hookArguments = Type.getArgumentTypes(patch.hookDescriptor);
    this.hookReturn = Type.getReturnType(patch.hookDescriptor);
    this.version = version;
    this.isInterface = isInterface;
    this.problem = check(method);
  }

  Patch patch() {
    return patch;
  }

  /** Why the row cannot be applied to this method, or null. */
  Reason problem() {
    return problem;
  }

  /** Whether the row is for this call; counts occurrences. */
  boolean isFor(String calleeOwner, String name, String descriptor) {
    boolean matches =
        name.equals(patch.callName)
            && (patch.callOwner == null || patch.callOwner.equals(calleeOwner))
            && (patch.callDescriptor == null || patch.callDescriptor.equals(descriptor));
    return matches && (patch.occurrence == 0 || ++seenCalls == patch.occurrence);
  }

  boolean needs(Value.Kind kind) {
    for (Value value : patch.values) {
      if (value.kind == kind) {
        return true;
      }
    }
    return false;
  }

  boolean replaces() {
    return hookReturn.getSort() != Type.VOID;
  }

  /**
   * The wrapper for one call site. Calls by different descriptors (a row that names none) would
   * need different wrappers: the second one is then left alone.
   */
  boolean fits(String descriptor, Type receiver) {
    if (callDescriptor == null) {
      callDescriptor = descriptor;
      callReceiver = receiver;
      problem = checkCall();
    }
    return problem == null
        && callDescriptor.equals(descriptor)
        && (!needs(Value.Kind.RECEIVER) || callReceiver.equals(receiver));
  }

  /**
   * Writes the call of the wrapper.
   *
   * @param slots the local variables that hold what is not an argument of the method
   */
  void call(MethodVisitor code, Slots slots) {
    if (number == 0) {
      number = owner.use(this);
    }
    for (Value value : patch.values) {
      switch (value.kind) {
        case SELF:
        case FIELD:
          code.visitVarInsn(Opcodes.ALOAD, 0);
          break;
        case ARGUMENT:
          Type type = methodArguments[value.index];
          code.visitVarInsn(type.getOpcode(Opcodes.ILOAD), argumentSlot(value.index));
          break;
        case CONSTANT:
          break;
        default:
          slots.load(code, value);
      }
    }
    code.visitMethodInsn(
        Opcodes.INVOKESTATIC, owner.className(), name(), wrapperDescriptor(), isInterface);
  }

  /** Adds the method to the class. */
  void writeTo(ClassVisitor target) {
    int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
    MethodVisitor code = target.visitMethod(access, name(), wrapperDescriptor(), null, null);
    Label start = new Label();
    Label end = new Label();
    Label marked = new Label();
    Label any = new Label();
    Label reported = new Label();
    Label dropped = new Label();
    if (patch.mayFailTask) {
      code.visitTryCatchBlock(start, end, marked, MARKED);
    }
    code.visitTryCatchBlock(start, end, any, null);
    code.visitTryCatchBlock(any, reported, dropped, null);
    Guard afterReport = new Guard(code, marked);
    Guard afterDrop = new Guard(code, marked);
    code.visitCode();
    code.visitLabel(start);
    if (patch.point == Point.THROW) {
      code.visitMethodInsn(Opcodes.INVOKESTATIC, FAILURES, "makeRoom", "()V", false);
    }
    int fallback = pushHookArguments(code);
    code.visitMethodInsn(
        Opcodes.INVOKESTATIC, patch.hookOwner, patch.hookName, patch.hookDescriptor, false);
    if (replaces()) {
      cast(code, hookReturn, wrapperReturn());
    }
    code.visitInsn(wrapperReturn().getOpcode(Opcodes.IRETURN));
    code.visitLabel(end);
    if (patch.mayFailTask) {
      code.visitLabel(marked);
      frame(code, MARKED);
      code.visitInsn(Opcodes.ATHROW);
    }
    code.visitLabel(any);
    frame(code, THROWABLE);
    code.visitLdcInsn(patch.number);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, FAULTS, "inHook", "(L" + THROWABLE + ";I)V", false);
    code.visitLabel(reported);
    afterReport.call(code);
    returnFallback(code, fallback);
    code.visitLabel(dropped);
    frame(code, THROWABLE);
    code.visitInsn(Opcodes.POP);
    afterDrop.call(code);
    returnFallback(code, fallback);
    afterReport.drop(code, fallback);
    afterDrop.drop(code, fallback);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /**
   * Fails a verify attempt whose hook could not: what it has discarded must not be committed. In
   * other modes this does nothing.
   */
  private final class Guard {
    private final Label start = new Label();
    private final Label end = new Label();
    private final Label failed = new Label();

    Guard(MethodVisitor code, Label marked) {
      if (patch.mayFailTask) {
        code.visitTryCatchBlock(start, end, marked, MARKED);
        code.visitTryCatchBlock(start, end, failed, null);
      }
    }

    void call(MethodVisitor code) {
      if (patch.mayFailTask) {
        code.visitLabel(start);
        code.visitMethodInsn(Opcodes.INVOKESTATIC, VERIFY, "failAttempt", "()V", false);
        code.visitLabel(end);
      }
    }

    void drop(MethodVisitor code, int fallback) {
      if (patch.mayFailTask) {
        code.visitLabel(failed);
        frame(code, THROWABLE);
        code.visitInsn(Opcodes.POP);
        returnFallback(code, fallback);
      }
    }
  }

  private void returnFallback(MethodVisitor code, int fallback) {
    if (replaces()) {
      code.visitVarInsn(wrapperReturn().getOpcode(Opcodes.ILOAD), fallback);
    }
    code.visitInsn(wrapperReturn().getOpcode(Opcodes.IRETURN));
  }

  /** Loads and converts the hook's arguments; returns the slot of the value it may replace. */
  private int pushHookArguments(MethodVisitor code) {
    int slot = 0;
    int returned = 0;
    for (int i = 0; i < hookArguments.length; i++) {
      Value value = patch.values.get(i);
      Type actual = typeOf(value);
      if (value.kind == Value.Kind.CONSTANT) {
        code.visitLdcInsn(value.index);
      } else {
        Type held = passedType(value);
        code.visitVarInsn(held.getOpcode(Opcodes.ILOAD), slot);
        if (value.kind == Value.Kind.RETURNED) {
          returned = slot;
        }
        slot += held.getSize();
        if (value.kind == Value.Kind.FIELD) {
          String declarer = value.owner == null ? owner.className() : value.owner;
          code.visitFieldInsn(Opcodes.GETFIELD, declarer, value.name, value.descriptor);
        }
      }
      cast(code, actual, hookArguments[i]);
    }
    return returned;
  }

  private static void cast(MethodVisitor code, Type from, Type to) {
    if (from.equals(to)) {
      return;
    }
    if (to.getSort() == Type.LONG) {
      code.visitInsn(Opcodes.I2L);
    } else if (isReference(to) && !to.getDescriptor().equals("Ljava/lang/Object;")) {
      code.visitTypeInsn(Opcodes.CHECKCAST, to.getInternalName());
    }
  }

  /** The frame of a handler: the parameters, and what was caught. */
  private void frame(MethodVisitor code, String caught) {
    if (version >= Opcodes.V1_6) {
      List<Object> locals = new ArrayList<>();
      for (Type type : Type.getArgumentTypes(wrapperDescriptor())) {
        locals.add(MethodPatcher.frameType(type));
      }
      code.visitFrame(Opcodes.F_FULL, locals.size(), locals.toArray(), 1, new Object[] {caught});
    }
  }

  private String name() {
    return "mprof$hook$" + number;
  }

  private String wrapperDescriptor() {
    StringBuilder text = new StringBuilder("(");
    for (Value value : patch.values) {
      if (value.kind != Value.Kind.CONSTANT) {
        text.append(passedType(value).getDescriptor());
      }
    }
    return text.append(')').append(wrapperReturn().getDescriptor()).toString();
  }

  private Type wrapperReturn() {
    return replaces() ? returnedType() : Type.VOID_TYPE;
  }

  private Type returnedType() {
    return patch.point == Point.AFTER_CALL ? Type.getReturnType(callDescriptor) : methodReturn;
  }

  /** What the patched method hands to the wrapper for a value. */
  private Type passedType(Value value) {
    return value.kind == Value.Kind.FIELD ? Type.getObjectType(owner.className()) : typeOf(value);
  }

  private Type typeOf(Value value) {
    switch (value.kind) {
      case SELF:
        return Type.getObjectType(owner.className());
      case ARGUMENT:
        return methodArguments[value.index];
      case RETURNED:
        return returnedType();
      case THROWN:
        return Type.getObjectType(THROWABLE);
      case RECEIVER:
        return callReceiver;
      case CALL_ARGUMENT:
        return Type.getArgumentTypes(callDescriptor)[value.index];
      default:
        return Type.getType(value.descriptor);
    }
  }

  private int argumentSlot(int index) {
    int slot = isStatic ? 0 : 1;
    for (int i = 0; i < index; i++) {
      slot += methodArguments[i].getSize();
    }
    return slot;
  }

  // ---- what would make a class that the verifier refuses ---------------------------------------

  private Reason check(String method) {
    boolean isConstructor = method.equals("<init>");
    if (method.equals("<clinit>")) {
      return unfit("class initialisers are not patched");
    }
    if (hookArguments.length != patch.values.size()) {
      return unfit("the hook takes " + hookArguments.length + " values");
    }
    if (isConstructor && patch.point == Point.THROW) {
      return unfit("a throw cannot be caught in a constructor");
    }
    if (isInterface && version < Opcodes.V1_8) {
      return unfit("an interface");
    }
    boolean atCall = patch.point == Point.BEFORE_CALL || patch.point == Point.AFTER_CALL;
    for (int i = 0; i < hookArguments.length; i++) {
      Value value = patch.values.get(i);
      Reason wrong = checkValue(value);
      boolean known =
          value.kind != Value.Kind.RECEIVER
              && value.kind != Value.Kind.CALL_ARGUMENT
              && !(atCall && value.kind == Value.Kind.RETURNED);
      if (wrong == null && known && !converts(typeOf(value), hookArguments[i])) {
        wrong = unfit(value + " cannot become " + hookArguments[i].getClassName());
      }
      if (wrong != null) {
        return wrong;
      }
    }
    if (replaces() && !needs(Value.Kind.RETURNED)) {
      return unfit("a hook that replaces a value must receive it");
    }
    return replaces() && !atCall && !converts(hookReturn, methodReturn)
        ? unfit("the hook returns something else")
        : null;
  }

  private Reason checkValue(Value value) {
    boolean atCall = patch.point == Point.BEFORE_CALL || patch.point == Point.AFTER_CALL;
    switch (value.kind) {
      case SELF:
        return isStatic ? unfit("a static method") : null;
      case FIELD:
        boolean missing =
            value.owner == null
                && !owner.shape().hasField(value.name, value.descriptor)
                && !owner.addsField(value.name, value.descriptor);
        boolean ofClass = owner.shape().isStaticField(value.name, value.descriptor);
        if (isStatic || value.owner == null && ofClass) {
          return unfit("not a field of an instance: " + value.name);
        }
        return missing ? Reason.of("no_field", "name", value.name) : null;
      case ARGUMENT:
        return value.index < methodArguments.length ? null : unfit("no such argument");
      case RETURNED:
        boolean nothing =
            patch.point != Point.AFTER_CALL
                && (patch.point != Point.RETURN || methodReturn.getSort() == Type.VOID);
        return nothing ? unfit("nothing is returned here") : null;
      case THROWN:
        return patch.point == Point.THROW ? null : unfit("nothing is thrown here");
      case RECEIVER:
      case CALL_ARGUMENT:
        return atCall ? null : unfit("no call here");
      default:
        return null;
    }
  }

  private Reason checkCall() {
    Type[] callArguments = Type.getArgumentTypes(callDescriptor);
    for (int i = 0; i < hookArguments.length; i++) {
      Value value = patch.values.get(i);
      if (value.kind == Value.Kind.CALL_ARGUMENT && value.index >= callArguments.length) {
        return unfit("the call has no such argument");
      }
      if (value.kind == Value.Kind.RECEIVER && callReceiver == null) {
        return unfit("the call has no receiver");
      }
      if (value.kind == Value.Kind.RETURNED && returnedType().getSort() == Type.VOID) {
        return unfit("the call returns nothing");
      }
      if (!converts(typeOf(value), hookArguments[i])) {
        return unfit(value + " cannot become " + hookArguments[i].getClassName());
      }
    }
    return replaces() && !converts(hookReturn, returnedType())
        ? unfit("the hook returns something else")
        : null;
  }

  /** A row that cannot be right in any class; {@code TableTest} finds it before a user does. */
  private static Reason unfit(String detail) {
    return Reason.of("unfit", "detail", detail);
  }

  private static boolean converts(Type from, Type to) {
    if (from.equals(to) || (isReference(from) && isReference(to))) {
      return true;
    }
    return to.getSort() == Type.LONG && from.getSort() >= Type.CHAR && from.getSort() <= Type.INT;
  }

  private static boolean isReference(Type type) {
    return type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY;
  }

  /** Where a patched method keeps values that are not its arguments. */
  interface Slots {
    void load(MethodVisitor code, Value value);
  }
}
