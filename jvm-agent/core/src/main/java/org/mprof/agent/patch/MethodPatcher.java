package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Rewrites one method: puts calls of {@link HookWrapper wrappers} at the points of its rows.
 *
 * <p>Values that lie on the operand stack are kept in local variables behind those of the method,
 * within straight code only, so no frame has to know of them. References there are nulled at once,
 * so that the hook prolongs no object's life and no heap dump shows an extra holder.
 */
final class MethodPatcher extends MethodVisitor {
  private final ClassPatcher owner;
  private final List<HookWrapper> hooks;
  private final boolean isStatic;
  private final boolean isConstructor;
  private final Type[] arguments;
  private final Type returnType;
  private final int free;
  private final Label tryStart = new Label();
  private boolean superCalled;
  private int pendingNews;

  MethodPatcher(
      MethodVisitor next,
      ClassPatcher owner,
      List<HookWrapper> hooks,
      int access,
      String name,
      String descriptor,
      int free) {
    super(Opcodes.ASM9, next);
    this.owner = owner;
    this.hooks = hooks;
    this.isStatic = (access & Opcodes.ACC_STATIC) != 0;
    this.isConstructor = name.equals("<init>");
    this.arguments = Type.getArgumentTypes(descriptor);
    this.returnType = Type.getReturnType(descriptor);
    this.free = free;
    this.superCalled = !isConstructor;
  }

  @Override
  public void visitCode() {
    super.visitCode();
    if (!isConstructor) {
      enter();
    }
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    super.visitTypeInsn(opcode, type);
    if (opcode == Opcodes.NEW) {
      pendingNews++;
    }
  }

  @Override
  public void visitInsn(int opcode) {
    boolean returns = opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
    if (returns) {
      List<HookWrapper> here = at(Point.RETURN);
      if (!here.isEmpty()) {
        aroundReturned(here, returnType, free);
      }
    }
    super.visitInsn(opcode);
  }

  @Override
  public void visitMethodInsn(
      int opcode, String callee, String name, String descriptor, boolean isInterface) {
    boolean constructs = opcode == Opcodes.INVOKESPECIAL && name.equals("<init>");
    boolean callsSuper = constructs && !superCalled && pendingNews == 0;
    if (constructs && pendingNews > 0) {
      pendingNews--;
    }
    if (callsSuper || !superCalled) {
      // this is not an object yet, and the verifier lets no hook see it.
      super.visitMethodInsn(opcode, callee, name, descriptor, isInterface);
      if (callsSuper) {
        superCalled = true;
        enter();
      }
      return;
    }
    boolean hasReceiver = opcode != Opcodes.INVOKESTATIC && !constructs;
    Type receiver = hasReceiver ? Type.getObjectType(callee) : null;
    List<HookWrapper> before = new ArrayList<>();
    List<HookWrapper> after = new ArrayList<>();
    for (HookWrapper hook : hooks) {
      Point point = hook.patch().point;
      if ((point == Point.BEFORE_CALL || point == Point.AFTER_CALL)
          && hook.isFor(callee, name, descriptor)
          && hook.fits(descriptor, receiver)) {
        (point == Point.BEFORE_CALL ? before : after).add(hook);
      }
    }
    if (before.isEmpty() && after.isEmpty()) {
      super.visitMethodInsn(opcode, callee, name, descriptor, isInterface);
      return;
    }
    CallValues values = new CallValues(receiver, Type.getArgumentTypes(descriptor), free);
    boolean keep = needAny(before, after);
    if (keep) {
      values.save(mv);
    }
    for (HookWrapper hook : before) {
      hook.call(mv, values::load);
    }
    super.visitMethodInsn(opcode, callee, name, descriptor, isInterface);
    if (!after.isEmpty()) {
      Type result = Type.getReturnType(descriptor);
      if (result.getSort() == Type.VOID) {
        for (HookWrapper hook : after) {
          hook.call(mv, values::load);
        }
      } else {
        values.returned = values.end;
        values.returnedLoad = load(result);
        around(after, result, values.end, values::load);
      }
    }
    if (keep) {
      values.forget(mv);
    }
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    List<HookWrapper> here = at(Point.THROW);
    if (!here.isEmpty()) {
      Label end = new Label();
      Label handler = new Label();
      // Declared last, so that the handlers of the method itself come first.
      mv.visitTryCatchBlock(tryStart, end, handler, null);
      mv.visitLabel(end);
      mv.visitLabel(handler);
      if (owner.version() >= Opcodes.V1_6) {
        Object[] locals = entryLocals();
        mv.visitFrame(
            Opcodes.F_FULL, locals.length, locals, 1, new Object[] {"java/lang/Throwable"});
      }
      mv.visitVarInsn(Opcodes.ASTORE, free);
      for (HookWrapper hook : here) {
        hook.call(mv, (code, value) -> code.visitVarInsn(Opcodes.ALOAD, free));
      }
      mv.visitVarInsn(Opcodes.ALOAD, free);
      mv.visitInsn(Opcodes.ATHROW);
    }
    super.visitMaxs(maxStack, maxLocals);
  }

  private void enter() {
    for (HookWrapper hook : at(Point.ENTER)) {
      hook.call(mv, (code, value) -> {});
    }
    if (!at(Point.THROW).isEmpty()) {
      mv.visitLabel(tryStart);
    }
  }

  private void aroundReturned(List<HookWrapper> here, Type type, int slot) {
    around(here, type, slot, (code, value) -> code.visitVarInsn(load(type), slot));
  }

  /** Calls hooks while a value of {@code type} lies on the stack; it may be replaced. */
  private void around(List<HookWrapper> here, Type type, int slot, HookWrapper.Slots slots) {
    boolean needed = false;
    for (HookWrapper hook : here) {
      needed |= hook.needs(Value.Kind.RETURNED);
    }
    if (!needed) {
      for (HookWrapper hook : here) {
        hook.call(mv, slots);
      }
      return;
    }
    mv.visitVarInsn(store(type), slot);
    for (HookWrapper hook : here) {
      hook.call(mv, slots);
      if (hook.replaces()) {
        mv.visitVarInsn(store(type), slot);
      }
    }
    mv.visitVarInsn(load(type), slot);
    forget(mv, type, slot);
  }

  private List<HookWrapper> at(Point point) {
    List<HookWrapper> here = new ArrayList<>();
    for (HookWrapper hook : hooks) {
      if (hook.patch().point == point) {
        here.add(hook);
      }
    }
    return here;
  }

  private static boolean needAny(List<HookWrapper> before, List<HookWrapper> after) {
    List<HookWrapper> all = new ArrayList<>(before);
    all.addAll(after);
    for (HookWrapper hook : all) {
      if (hook.needs(Value.Kind.RECEIVER) || hook.needs(Value.Kind.CALL_ARGUMENT)) {
        return true;
      }
    }
    return false;
  }

  /** The locals at entry: javac never gives a parameter's slot to a variable of another type. */
  private Object[] entryLocals() {
    List<Object> locals = new ArrayList<>();
    if (!isStatic) {
      locals.add(owner.className());
    }
    for (Type type : arguments) {
      locals.add(frameType(type));
    }
    return locals.toArray();
  }

  static Object frameType(Type type) {
    switch (type.getSort()) {
      case Type.LONG:
        return Opcodes.LONG;
      case Type.DOUBLE:
        return Opcodes.DOUBLE;
      case Type.FLOAT:
        return Opcodes.FLOAT;
      case Type.OBJECT:
      case Type.ARRAY:
        return type.getInternalName();
      default:
        return Opcodes.INTEGER;
    }
  }

  private static int load(Type type) {
    return type.getOpcode(Opcodes.ILOAD);
  }

  private static int store(Type type) {
    return type.getOpcode(Opcodes.ISTORE);
  }

  private static void forget(MethodVisitor code, Type type, int slot) {
    if (type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY) {
      code.visitInsn(Opcodes.ACONST_NULL);
      code.visitVarInsn(Opcodes.ASTORE, slot);
    }
  }

  /** Receiver and arguments of a call, kept in locals while hooks look at them. */
  private static final class CallValues {
    private final Type[] types;
    private final int[] slots;
    private final int end;
    private final boolean hasReceiver;
    private int returned;
    private int returnedLoad;

    CallValues(Type receiver, Type[] arguments, int from) {
      hasReceiver = receiver != null;
      types = new Type[arguments.length + (hasReceiver ? 1 : 0)];
      slots = new int[types.length];
      if (hasReceiver) {
        types[0] = receiver;
      }
      System.arraycopy(arguments, 0, types, hasReceiver ? 1 : 0, arguments.length);
      int slot = from;
      for (int i = 0; i < types.length; i++) {
        slots[i] = slot;
        slot += types[i].getSize();
      }
      end = slot;
    }

    void save(MethodVisitor code) {
      for (int i = types.length - 1; i >= 0; i--) {
        code.visitVarInsn(store(types[i]), slots[i]);
      }
      for (int i = 0; i < types.length; i++) {
        code.visitVarInsn(MethodPatcher.load(types[i]), slots[i]);
      }
    }

    void load(MethodVisitor code, Value value) {
      if (value.kind == Value.Kind.RETURNED) {
        code.visitVarInsn(returnedLoad, returned);
        return;
      }
      int i = value.kind == Value.Kind.RECEIVER ? 0 : value.index + (hasReceiver ? 1 : 0);
      code.visitVarInsn(MethodPatcher.load(types[i]), slots[i]);
    }

    void forget(MethodVisitor code) {
      for (int i = 0; i < types.length; i++) {
        MethodPatcher.forget(code, types[i], slots[i]);
      }
    }
  }
}
