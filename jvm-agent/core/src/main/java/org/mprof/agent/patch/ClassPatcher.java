package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.mprof.agent.Reason;
import org.mprof.agent.patch.PatchedClass.Missed;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Rewrites one class: its methods by {@link MethodPatcher}, then what the rows add to it. */
final class ClassPatcher extends ClassVisitor {
  private static final String STATE = Type.getInternalName(HasState.class);
  private static final String STATE_NAME = "mprof$state";
  private static final String OBJECT = "Ljava/lang/Object;";

  private final List<Patch> rows;
  private final ClassShape shape;
  private final List<HookWrapper> wrappers = new ArrayList<>();
  private final List<HookWrapper> tried = new ArrayList<>();
  private final Set<Patch> applied = new HashSet<>();
  private final List<Missed> missed = new ArrayList<>();

  private String className;
  private int version;
  private boolean isInterface;

  ClassPatcher(ClassVisitor next, List<Patch> rows, ClassShape shape) {
    super(Opcodes.ASM9, next);
    this.rows = rows;
    this.shape = shape;
  }

  boolean changed() {
    return !applied.isEmpty();
  }

  List<Missed> missed() {
    return missed;
  }

  @Override
  public void visit(
      int classVersion,
      int access,
      String name,
      String signature,
      String superName,
      String[] interfaces) {
    className = name;
    version = classVersion & 0xffff;
    isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
    Set<String> all = new LinkedHashSet<>(Arrays.asList(interfaces));
    int fields = 0;
    for (Patch row : rows) {
      if (row.point == Point.FIELD) {
        addField(row, ++fields, all);
      } else if (row.point == Point.GETTER) {
        addGetter(row, all);
      }
    }
    super.visit(classVersion, access, name, signature, superName, all.toArray(new String[0]));
  }

  @Override
  public MethodVisitor visitMethod(
      int access, String name, String descriptor, String signature, String[] exceptions) {
    MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
    if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
      return next;
    }
    List<HookWrapper> here = new ArrayList<>();
    for (Patch row : rows) {
      boolean named = row.point.isHook() && name.equals(row.method);
      if (named && (row.descriptor == null || descriptor.equals(row.descriptor))) {
        HookWrapper wrapper =
            new HookWrapper(this, row, access, name, descriptor, version, isInterface);
        if (wrapper.problem() == null) {
          here.add(wrapper);
          tried.add(wrapper);
        } else {
          miss(row, wrapper.problem());
        }
      }
    }
    return here.isEmpty()
        ? next
        : new MethodPatcher(
            next, this, here, access, name, descriptor, shape.freeLocal(name, descriptor));
  }

  @Override
  public void visitEnd() {
    for (HookWrapper wrapper : wrappers) {
      wrapper.writeTo(cv);
    }
    for (Patch row : rows) {
      if (applied.contains(row) && row.point == Point.FIELD) {
        writeField(row);
      } else if (applied.contains(row) && row.point == Point.GETTER) {
        writeGetter(row);
      } else if (!applied.contains(row) && !isMissed(row)) {
        miss(row, reason(row));
      }
    }
    super.visitEnd();
  }

  String className() {
    return className;
  }

  int version() {
    return version;
  }

  ClassShape shape() {
    return shape;
  }

  /** Whether a row gives the class this field. */
  boolean addsField(String name, String descriptor) {
    for (Patch row : rows) {
      if (row.point == Point.FIELD
          && row.method.equals(name)
          && row.descriptor.equals(descriptor)
          && applied.contains(row)) {
        return true;
      }
    }
    return false;
  }

  /** Called by a wrapper at its first use; gives it the number that makes its name unique. */
  int use(HookWrapper wrapper) {
    applied.add(wrapper.patch());
    wrappers.add(wrapper);
    return wrappers.size();
  }

  private void addField(Patch row, int number, Set<String> interfaces) {
    if (number > 1) {
      miss(row, Reason.of("unfit", "detail", "a class can be given one field only"));
    } else if (isInterface || !row.descriptor.startsWith("L")) {
      miss(row, Reason.of("unfit", "detail", "only classes, and only fields of a class type"));
    } else if (shape.hasField(row.method, row.descriptor)) {
      miss(row, Reason.of("field_exists"));
    } else {
      applied.add(row);
      interfaces.add(STATE);
    }
  }

  private void addGetter(Patch row, Set<String> interfaces) {
    if (isInterface || !shape.hasField(row.method, row.descriptor)) {
      miss(row, Reason.of("no_field", "name", row.method));
    } else if (shape.hasMethod(row.callName, "()" + row.descriptor)) {
      miss(row, Reason.of("method_exists"));
    } else {
      applied.add(row);
      interfaces.add(row.callOwner);
    }
  }

  private void writeField(Patch row) {
    int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC;
    cv.visitField(access, row.method, row.descriptor, null, null).visitEnd();
    MethodVisitor get = newMethod(STATE_NAME, "()" + OBJECT);
    get.visitVarInsn(Opcodes.ALOAD, 0);
    get.visitFieldInsn(Opcodes.GETFIELD, className, row.method, row.descriptor);
    get.visitInsn(Opcodes.ARETURN);
    finish(get);
    MethodVisitor set = newMethod(STATE_NAME, "(" + OBJECT + ")V");
    set.visitVarInsn(Opcodes.ALOAD, 0);
    set.visitVarInsn(Opcodes.ALOAD, 1);
    if (!row.descriptor.equals(OBJECT)) {
      set.visitTypeInsn(Opcodes.CHECKCAST, Type.getType(row.descriptor).getInternalName());
    }
    set.visitFieldInsn(Opcodes.PUTFIELD, className, row.method, row.descriptor);
    set.visitInsn(Opcodes.RETURN);
    finish(set);
  }

  private void writeGetter(Patch row) {
    Type type = Type.getType(row.descriptor);
    boolean isStatic = shape.isStaticField(row.method, row.descriptor);
    MethodVisitor get = newMethod(row.callName, "()" + row.descriptor);
    if (!isStatic) {
      get.visitVarInsn(Opcodes.ALOAD, 0);
    }
    int opcode = isStatic ? Opcodes.GETSTATIC : Opcodes.GETFIELD;
    get.visitFieldInsn(opcode, className, row.method, row.descriptor);
    get.visitInsn(type.getOpcode(Opcodes.IRETURN));
    finish(get);
  }

  private MethodVisitor newMethod(String name, String descriptor) {
    int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC;
    MethodVisitor method = cv.visitMethod(access, name, descriptor, null, null);
    method.visitCode();
    return method;
  }

  private static void finish(MethodVisitor method) {
    method.visitMaxs(0, 0);
    method.visitEnd();
  }

  private void miss(Patch row, Reason why) {
    missed.add(new Missed(row, why));
  }

  private Reason reason(Patch row) {
    for (HookWrapper wrapper : tried) {
      if (wrapper.patch() == row) {
        return wrapper.problem() == null ? Reason.of("no_call") : wrapper.problem();
      }
    }
    return Reason.of("no_method");
  }

  private boolean isMissed(Patch row) {
    for (Missed each : missed) {
      if (each.patch == row) {
        return true;
      }
    }
    return false;
  }
}
