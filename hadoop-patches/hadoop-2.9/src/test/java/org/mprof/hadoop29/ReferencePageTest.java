package org.mprof.hadoop29;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Point;

/**
 * {@code docs/reference/hadoop-patches.md} is the table in words. After a change of the table:
 * {@code mvn -pl hadoop-patches/hadoop-2.9 -am test -Dtest=ReferencePageTest -Dmprof.write=true
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class ReferencePageTest {
  private static final String HEAD =
      "# Patches of Hadoop 2.9 and later\n"
          + "\n"
          + "Generated from the table in `hadoop-patches/hadoop-2.9`; do not edit.\n"
          + "A folder of patches is named by the oldest Hadoop whose classes its rows fit, and"
          + " serves every later one until a release moves what a row hooks.\n"
          + "That release begins the next folder; the agent takes the first one that fits the class"
          + " path, whatever version it states.\n"
          + "The agent changes these classes before a task's main method begins; nothing is changed on disk.\n"
          + "A row that does not find its target is reported by a `patch_missed` event and left"
          + " out; whatever a hook throws is dropped and reported by a `fault` event (in a"
          + " full heap it is only counted).\n"
          + "\n"
          + "*Since* is the oldest release that has what the row hooks, among those looked at:"
          + " 0.20.2, 0.23.11, 1.2.1, 2.0.3-alpha, 2.2.0, 2.4.1, 2.7.3, 2.8.5, 2.9.0, 2.10.2, 3.4.3 and 3.5.0.\n"
          + "*Until* is the release that removed it; empty where 3.5.0 still has it.\n"
          + "Rows are tested on stock 2.9.2 and 3.4.3.\n";

  @Test
  void theReferencePageIsWhatTheTableSays() throws Exception {
    Path page = page();
    Assumptions.assumeTrue(page != null, "outside the source tree there is no page to compare");
    if (Boolean.getBoolean("mprof.write")) {
      Files.write(page, text().getBytes(StandardCharsets.UTF_8));
    }
    assertEquals(text(), new String(Files.readAllBytes(page), StandardCharsets.UTF_8));
  }

  private static Path page() {
    for (File at = new File("").getAbsoluteFile(); at != null; at = at.getParentFile()) {
      File folder = new File(at, "docs/reference");
      if (folder.isDirectory()) {
        return new File(folder, "hadoop-patches.md").toPath();
      }
    }
    return null;
  }

  private static String text() {
    Map<String, StringBuilder> sections = new LinkedHashMap<>();
    for (Patch row : new Hadoop29().patches()) {
      sections.computeIfAbsent(row.className(), ReferencePageTest::section).append(line(row));
    }
    StringBuilder text = new StringBuilder(HEAD);
    sections.values().forEach(text::append);
    return text.toString();
  }

  private static StringBuilder section(String className) {
    return new StringBuilder("\n## `")
        .append(className.replace('/', '.'))
        .append("`\n\n")
        .append("| method | where | hook | since | until | why |\n|---|---|---|---|---|---|\n");
  }

  private static String line(Patch row) {
    boolean isField = row.point() == Point.FIELD;
    String hook =
        isField
            ? ""
            : "`" + row.hookOwner().replaceAll(".*/|\\$Hooks", "") + "." + row.hookName() + "`";
    return "| `"
        + row.method()
        + "` | "
        + where(row)
        + " | "
        + hook
        + " | "
        + text(row.since())
        + " | "
        + text(row.until())
        + " | "
        + row.reason()
        + " |\n";
  }

  private static String where(Patch row) {
    switch (row.point()) {
      case FIELD:
        return "field added";
      case ENTER:
        return "at entry";
      case RETURN:
        return "at return";
      case THROW:
        return "when it throws";
      case BEFORE_CALL:
        return "before a call of `" + callee(row) + "`";
      case AFTER_CALL:
        return "after a call of `" + callee(row) + "`";
      default:
        return row.point().toString();
    }
  }

  /** The called method stands in the row's own description, between the point and the hook. */
  private static String callee(Patch row) {
    String call = row.toString().replaceAll(".*_CALL ", "").replaceAll("\\(.*| ->.*", "");
    String[] names = call.split("\\.");
    return names[names.length - 2] + "." + names[names.length - 1];
  }

  private static String text(String version) {
    return version == null ? "" : version;
  }
}
