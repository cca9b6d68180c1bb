package org.mprof.agent.patch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mprof.agent.MarkedFailure;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

class PatchTransformerTest {
  private static final String SUBJECT = "org/mprof/agent/patch/Subject";
  private static final ClassLoader OWN = PatchTransformer.class.getClassLoader();

  /** Implemented by the patched class through a getter row. */
  public interface NumbersView {
    int[] mprof$numbers();
  }

  @BeforeEach
  void forget() {
    Hooks.SEEN.clear();
  }

  @Test
  void enterHandsOverArgumentsOfEveryWidthAndThis() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("wide", "(JDLjava/lang/String;B)J")
                .onEnter()
                .call(
                    Hooks.NAME,
                    "many",
                    "(JDLjava/lang/String;BLjava/lang/Object;)V",
                    Value.argument(0),
                    Value.argument(1),
                    Value.argument(2),
                    Value.argument(3),
                    Value.self())
                .because("test"));
    Object sum = method(subject, "wide").invoke(subject, 5L, 2.5, "abc", (byte) 1);
    assertEquals(11L, sum);
    assertEquals(seen("5 2.5 abc 1 Subject"), Hooks.SEEN);
  }

  @Test
  void returnHandsOverTheValueAtEveryReturn() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("next")
                .onReturn()
                .call(Hooks.NAME, "number", "(I)V", Value.argument(0))
                .because("test"),
            Patch.in(SUBJECT)
                .method("total")
                .onReturn()
                .call(Hooks.NAME, "wide", "(J)V", Value.returned())
                .because("test"));
    assertEquals(true, method(subject, "next").invoke(subject, 100));
    assertEquals(false, method(subject, "next").invoke(subject, 1));
    assertEquals(13L, method(subject, "total").invoke(subject));
    assertEquals(seen("number 100", "number 1", "long 13"), Hooks.SEEN);
  }

  @Test
  void hookThatReturnsAValueReplacesIt() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("next")
                .onReturn()
                .call(Hooks.NAME, "not", "(Z)Z", Value.returned())
                .because("test"),
            Patch.in(SUBJECT)
                .method("loops")
                .afterCall(SUBJECT, "helper", null)
                .call(
                    Hooks.NAME, "shout", "(Ljava/lang/String;)Ljava/lang/String;", Value.returned())
                .because("test"));
    assertEquals(false, method(subject, "next").invoke(subject, 100));
    assertEquals("A0;caught;A2;", method(subject, "loops").invoke(subject, "a"));
  }

  @Test
  void throwIsSeenAndGoesOn() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("throwsOut")
                .onThrow()
                .call(Hooks.NAME, "thrown", "(Ljava/lang/Throwable;)V", Value.thrown())
                .because("test"),
            Patch.in(SUBJECT)
                .method("loops")
                .onThrow()
                .call(Hooks.NAME, "thrown", "(Ljava/lang/Throwable;)V", Value.thrown())
                .because("test"));
    method(subject, "throwsOut").invoke(subject, false);
    InvocationTargetException out =
        assertThrows(
            InvocationTargetException.class,
            () -> method(subject, "throwsOut").invoke(subject, true));
    assertEquals("out", out.getCause().getMessage());
    // What the method catches itself never leaves it, so no hook hears of it.
    assertEquals("a0;caught;a2;", method(subject, "loops").invoke(subject, "a"));
    assertEquals(seen("thrown out"), Hooks.SEEN);
  }

  @Test
  void callsHandOverReceiverArgumentsAndResult() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("loops")
                .beforeCall(SUBJECT, "helper", null)
                .call(Hooks.NAME, "wide", "(J)V", Value.callArgument(1))
                .because("test"),
            Patch.in(SUBJECT)
                .method("loops")
                .afterCall(null, "helper", null)
                .call(
                    Hooks.NAME,
                    "call",
                    "(Ljava/lang/Object;Ljava/lang/String;JLjava/lang/String;)V",
                    Value.receiver(),
                    Value.callArgument(0),
                    Value.callArgument(1),
                    Value.returned())
                .because("test"));
    assertEquals("a0;caught;a2;", method(subject, "loops").invoke(subject, "a"));
    assertEquals(
        seen("long 0", "Subject a 0 a0", "long 1", "long 2", "Subject a 2 a2"), Hooks.SEEN);
  }

  @Test
  void onlyTheNamedOccurrenceOfACallIsPatched() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("loops")
                .beforeCall("java/lang/StringBuilder", "append", null)
                .occurrence(2)
                .call(Hooks.NAME, "none", "()V")
                .because("test"));
    method(subject, "loops").invoke(subject, "a");
    // The second append of the byte code is the finally block of the way without an exception,
    // which two of the three rounds take.
    assertEquals(2, Hooks.SEEN.size());
  }

  @Test
  void fieldsOfThisAndStaticCallsAreRead() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("nothing")
                .onReturn()
                .call(
                    Hooks.NAME,
                    "numbers",
                    "([IJ)V",
                    Value.field("numbers", "[I"),
                    Value.field("total", "J"))
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .afterCall(SUBJECT, "twice", "(I)I")
                .call(Hooks.NAME, "wide", "(J)V", Value.returned())
                .because("test"));
    method(subject, "nothing").invoke(subject);
    assertEquals(seen("long 6", "[1, 2, 3] 12"), Hooks.SEEN);
    assertEquals(12L, method(subject, "total").invoke(subject));
  }

  @Test
  void constructorIsEnteredAfterTheSuperCall() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("<init>")
                .onEnter()
                .call(Hooks.NAME, "object", "(Ljava/lang/Object;)V", Value.self())
                .because("test"),
            Patch.in(SUBJECT)
                .method("<init>", "(Ljava/lang/String;)V")
                .onReturn()
                .call(
                    Hooks.NAME,
                    "numbers",
                    "([IJ)V",
                    Value.field("numbers", "[I"),
                    Value.field("total", "J"))
                .because("test"));
    assertEquals(seen("Subject", "[1, 2, 3] 12", "Subject"), Hooks.SEEN);
    assertEquals(12L, method(subject, "total").invoke(subject));
  }

  @Test
  void constantsTellRowsApart() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(Hooks.NAME, "number", "(I)V", Value.constant(1))
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .onReturn()
                .call(Hooks.NAME, "wide", "(J)V", Value.constant(2))
                .because("test"));
    method(subject, "nothing").invoke(subject);
    assertEquals(seen("number 1", "long 2"), Hooks.SEEN);
  }

  @Test
  void addedFieldKeepsStateAndIsHandedOver() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT).addField("mprof$text", "Ljava/lang/String;").because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(
                    Hooks.NAME,
                    "text",
                    "(Ljava/lang/String;)V",
                    Value.field("mprof$text", "Ljava/lang/String;"))
                .because("test"));
    HasState state = (HasState) subject;
    assertNull(state.mprof$state());
    state.mprof$state("kept");
    assertSame("kept", state.mprof$state());
    method(subject, "nothing").invoke(subject);
    assertEquals(seen("text kept"), Hooks.SEEN);
  }

  @Test
  void exposedFieldIsReadThroughAnInterface() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .expose(
                    "numbers",
                    "[I",
                    "org/mprof/agent/patch/PatchTransformerTest$NumbersView",
                    "mprof$numbers")
                .because("test"));
    assertEquals("[1, 2, 3]", Arrays.toString(((NumbersView) subject).mprof$numbers()));
  }

  @Test
  void throwingHookNeverReachesTheCaller() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(Hooks.NAME, "fails", "()V")
                .because("test"),
            Patch.in(SUBJECT)
                .method("next")
                .onReturn()
                .call(Hooks.NAME, "failsToReplace", "(Z)Z", Value.returned())
                .because("test"),
            Patch.in(SUBJECT)
                .method("call")
                .onReturn()
                .call("org/mprof/agent/patch/NoSuchHooks", "gone", "()V")
                .because("test"),
            Patch.in(SUBJECT)
                .method("total")
                .onReturn()
                .call(Hooks.NAME, "noSuchMethod", "()V")
                .because("test"),
            Patch.in(SUBJECT)
                .method("helper")
                .onEnter()
                .call(Hooks.NAME, "numbers", "([IJ)V", Value.argument(0), Value.argument(1))
                .because("test"),
            Patch.in(SUBJECT)
                .method("wide")
                .onEnter()
                .call(Hooks.NAME, "marks", "()V")
                .because("test"));
    method(subject, "nothing").invoke(subject);
    assertEquals(true, method(subject, "next").invoke(subject, 100));
    assertEquals("shared", method(subject, "call").invoke(subject));
    assertEquals(13L, method(subject, "total").invoke(subject));
    // A String where the hook wants int[]: the cast fails inside the wrapper.
    assertEquals("a5", method(subject, "helper").invoke(subject, "a", 5L));
    // A marked failure from a row that may not fail the task is one more fault.
    assertEquals(5L, method(subject, "wide").invoke(subject, 1L, 1.0, "ab", (byte) 1));
  }

  @Test
  void markedFailureLeavesOnlyARowThatMayFailTheTask() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(Hooks.NAME, "marks", "()V")
                .mayFailTask()
                .because("test"),
            Patch.in(SUBJECT)
                .method("call")
                .onEnter()
                .call(Hooks.NAME, "fails", "()V")
                .mayFailTask()
                .because("test"));
    InvocationTargetException out =
        assertThrows(
            InvocationTargetException.class, () -> method(subject, "nothing").invoke(subject));
    assertTrue(out.getCause() instanceof MarkedFailure);
    assertTrue(out.getCause().getMessage().startsWith("mprof verify: "));
    assertEquals("shared", method(subject, "call").invoke(subject));
  }

  @Test
  void rowsThatCannotBeAppliedLeaveTheOthersInPlace() throws Exception {
    Object subject =
        patched(
            Patch.in(SUBJECT)
                .method("noSuchMethod")
                .onEnter()
                .call(Hooks.NAME, "none", "()V")
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .beforeCall(SUBJECT, "noSuchCall", null)
                .call(Hooks.NAME, "none", "()V")
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .onReturn()
                .call(Hooks.NAME, "object", "(Ljava/lang/Object;)V", Value.returned())
                .because("test"),
            Patch.in(SUBJECT)
                .method("twice")
                .onEnter()
                .call(Hooks.NAME, "object", "(Ljava/lang/Object;)V", Value.self())
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(Hooks.NAME, "wide", "(J)V", Value.field("numbers", "[I"))
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(
                    Hooks.NAME,
                    "object",
                    "(Ljava/lang/Object;)V",
                    Value.field("shared", "Ljava/lang/String;"))
                .because("test"),
            Patch.in(SUBJECT)
                .method("<init>")
                .onThrow()
                .call(Hooks.NAME, "none", "()V")
                .because("test"),
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(Hooks.NAME, "none", "()V")
                .because("test"));
    method(subject, "nothing").invoke(subject);
    assertEquals(seen("none"), Hooks.SEEN);
  }

  private static PatchTransformer ofNothing() {
    return new PatchTransformer(
        Arrays.asList(
            Patch.in(SUBJECT)
                .method("nothing")
                .onEnter()
                .call(Hooks.NAME, "none", "()V")
                .because("test")),
        null);
  }

  @Test
  void classesOutsideTheTableAndBrokenOnesAreLeftAlone() {
    PatchTransformer transformer = ofNothing();
    assertNull(transformer.transform(OWN, "java/lang/Other", null, null, new byte[] {1}));
    assertNull(transformer.transform(OWN, null, null, null, new byte[] {1}));
    assertNull(transformer.transform(OWN, SUBJECT, null, null, new byte[] {1, 2, 3}));
  }

  /**
   * A second Hadoop, in a loader that does not ask the first one's: it could not link the hooks.
   */
  @Test
  void classesThatCannotSeeTheHooksAreLeftAlone() throws Exception {
    PatchTransformer transformer = ofNothing();
    byte[] original = bytes(SUBJECT + ".class");
    try (URLClassLoader apart = new URLClassLoader(new URL[0], OWN.getParent())) {
      assertNull(transformer.transform(apart, SUBJECT, null, null, original));
      assertNull(transformer.transform(null, SUBJECT, null, null, original));
      assertNotNull(transformer.transform(OWN, SUBJECT, null, null, original));
    }
  }

  /** In a full heap a class can be neither loaded nor linked. */
  @Test
  void hooksAreReadyBeforeTheyAreCalled() throws Exception {
    Patch row =
        Patch.in(SUBJECT)
            .method("nothing")
            .onEnter()
            .call(Hooks.NAME + "$Late", "none", "()V")
            .because("test");
    PatchTransformer transformer = new PatchTransformer(Arrays.asList(row), null);
    transformer.transform(OWN, SUBJECT, null, null, bytes(SUBJECT + ".class"));
    System.clearProperty(Hooks.READY);
    transformer.loadHooks(getClass().getClassLoader());
    assertEquals("true", System.getProperty(Hooks.READY));
  }

  /** In a full heap a string that is met for the first time cannot be made. */
  @Test
  void aWrapperHasNoStringConstantAndAHandlerForItsHandler() throws Exception {
    Patch row =
        Patch.in(SUBJECT)
            .method("nothing")
            .onEnter()
            .call(Hooks.NAME, "fails", "()V")
            .because("test");
    byte[] original = bytes(SUBJECT + ".class");
    byte[] changed =
        new PatchTransformer(Arrays.asList(row), null)
            .transform(OWN, SUBJECT, null, null, original);
    List<String> strings = new ArrayList<>();
    List<String> handlers = new ArrayList<>();
    new ClassReader(changed)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                return !name.startsWith("mprof$hook$")
                    ? null
                    : new MethodVisitor(Opcodes.ASM9) {
                      @Override
                      public void visitLdcInsn(Object constant) {
                        if (constant instanceof String) {
                          strings.add((String) constant);
                        }
                      }

                      @Override
                      public void visitTryCatchBlock(
                          Label start, Label end, Label handler, String type) {
                        handlers.add(String.valueOf(type));
                      }
                    };
              }
            },
            0);
    assertEquals(Collections.emptyList(), strings);
    assertEquals(Arrays.asList("null", "null"), handlers);
    assertSame(row, Patch.numbered(row.number));
    assertNull(Patch.numbered(-1));
  }

  @Test
  void versionOfHadoopIsReadFromTheNameOfItsJar() throws Exception {
    String jar = "jar:file:/usr/lib/hadoop/hadoop-common-3.4.3.jar!/common-version-info.properties";
    assertEquals("3.4.3", ClassPath.versionInJarName(new java.net.URL(jar)));
    String other = "jar:file:/opt/hadoop-common-shaded.jar!/common-version-info.properties";
    assertEquals("", ClassPath.versionInJarName(new java.net.URL(other)));
    assertEquals("", ClassPath.versionInJarName(null));
  }

  @Test
  void incompleteRowIsRefusedWhenItIsWritten() {
    Patch.Builder row = Patch.in(SUBJECT).method("nothing").onEnter();
    assertThrows(IllegalStateException.class, () -> row.because("no hook"));
    assertFalse(Hooks.SEEN.contains("none"));
  }

  // ---- helpers -------------------------------------------------------------------------------

  private static List<String> seen(String... lines) {
    return Arrays.asList(lines);
  }

  private static Method method(Object subject, String name) {
    for (Method method : subject.getClass().getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    throw new AssertionError(name);
  }

  /**
   * An instance of the patched class, verified by the JVM because its loader is not a trusted one.
   */
  private static Object patched(Patch... rows) throws Exception {
    byte[] original = bytes(SUBJECT + ".class");
    byte[] changed =
        new PatchTransformer(Arrays.asList(rows), null)
            .transform(OWN, SUBJECT, null, null, original);
    ClassLoader loader =
        new ClassLoader(PatchTransformerTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(SUBJECT.replace('/', '.'))) {
              Class<?> loaded = findLoadedClass(name);
              return loaded != null ? loaded : defineClass(name, changed, 0, changed.length);
            }
            return super.loadClass(name, resolve);
          }
        };
    return loader.loadClass(SUBJECT.replace('/', '.')).getDeclaredConstructor().newInstance();
  }

  static byte[] bytes(String resource) throws IOException {
    try (InputStream in =
        PatchTransformerTest.class.getClassLoader().getResourceAsStream(resource)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
      }
      return out.toByteArray();
    }
  }
}
