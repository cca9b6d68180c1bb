package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Hadoop writes is read as Hadoop would read it; which job a plan is for. */
class JobFileTest {
  @TempDir Path folder;
  private final List<String> complaints = new ArrayList<>();

  @Test
  void valuesAreReadAsHadoopWroteThem() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("mapreduce.job.name", "<a & \"b\"> \u00e9 'c' &amp; d");
    conf.set("mapreduce.job.map.class", "org.example.Outer$Mapper");
    conf.set("empty", "");
    conf.set("a.key.whose.value.names.another", "<name>mapreduce.job.map.class</name>");
    JobFile file = JobFile.read(written(conf).toFile());
    for (String name :
        new String[] {
          "mapreduce.job.name",
          "mapreduce.job.map.class",
          "empty",
          "a.key.whose.value.names.another"
        }) {
      assertEquals(conf.get(name), file.value(name), name);
    }
    assertNull(file.value("mapreduce.job"));
    assertNull(file.value("job.name"));
  }

  @Test
  void aTaskOfAnotherJobIsOneThatThePlanDoesNotName() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("mapreduce.job.map.class", "org.example.First");
    Path first = written(conf);
    conf.set("mapreduce.job.map.class", "org.example.Second");
    Path second = written(conf);
    conf.set("mapreduce.job.name", "named");
    Path named = written(conf);

    String plan = "job.mapreduce.job.map.class=org.example.Second\njob.mapreduce.job.name=\n";
    assertEquals(Mode.VERIFY, mode(plan, second));
    assertEquals(Mode.WATCH, mode(plan, first));
    assertEquals(Mode.WATCH, mode(plan, named));
    assertEquals(Mode.VERIFY, mode("", first));
    assertEquals(new ArrayList<String>(), complaints);
  }

  @Test
  void whereTheJobCannotBeReadThePlanIsNotFollowed() throws IOException {
    assertEquals(Mode.WATCH, mode("job.mapreduce.job.name=x\n", folder.resolve("none")));
    assertEquals(1, complaints.size(), complaints.toString());
    assertThrows(IOException.class, () -> JobFile.read(folder.resolve("none").toFile()));
  }

  private Mode mode(String job, Path conf) throws IOException {
    Path plan = folder.resolve("plan");
    try (Writer out = Files.newBufferedWriter(plan, StandardCharsets.UTF_8)) {
      out.write("version=1\ndefault=watch\n" + job + "m_000000.mode=verify\n");
    }
    return Plan.read(plan.toFile(), "m_000000", Mode.OFF, conf.toFile(), complaints::add).mode();
  }

  private Path written(Configuration conf) throws IOException {
    Path file = Files.createTempFile(folder, "job", ".xml");
    try (OutputStream out = Files.newOutputStream(file)) {
      conf.writeXml(out);
    }
    return file;
  }
}
