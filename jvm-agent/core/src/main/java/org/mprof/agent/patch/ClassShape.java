package org.mprof.agent.patch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What has to be known of a class before it is rewritten: fields, methods, numbers of locals. */
final class ClassShape {
  private final Set<String> members = new HashSet<>();
  private final Set<String> staticFields = new HashSet<>();
  private final Map<String, Integer> locals = new HashMap<>();

  private ClassShape() {}

  static ClassShape of(ClassReader reader, List<Patch> rows) {
    ClassShape shape = new ClassShape();
    Set<String> methods = new HashSet<>();
    for (Patch row : rows) {
      methods.add(row.method);
    }
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String signature, Object value) {
            shape.members.add(name + ":" + descriptor);
            if ((access & Opcodes.ACC_STATIC) != 0) {
              shape.staticFields.add(name + ":" + descriptor);
            }
            return null;
          }

          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            shape.members.add(name + descriptor);
            return methods.contains(name) ? shape.localsOf(name + descriptor) : null;
          }
        },
        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return shape;
  }

  boolean hasField(String name, String descriptor) {
    return members.contains(name + ":" + descriptor);
  }

  boolean isStaticField(String name, String descriptor) {
    return staticFields.contains(name + ":" + descriptor);
  }

  boolean hasMethod(String name, String descriptor) {
    return members.contains(name + descriptor);
  }

  /** First slot that a method with code does not use; 0 for one without. */
  int freeLocal(String name, String descriptor) {
    return locals.getOrDefault(name + descriptor, 0);
  }

  private MethodVisitor localsOf(String method) {
    return new MethodVisitor(Opcodes.ASM9) {
      @Override
      public void visitMaxs(int maxStack, int maxLocals) {
        locals.put(method, maxLocals);
      }
    };
  }
}
