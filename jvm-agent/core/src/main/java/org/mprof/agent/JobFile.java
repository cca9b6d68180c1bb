package org.mprof.agent;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/**
 * The job's configuration in the container's working folder, as {@code Configuration.writeXml}
 * leaves it. No XML parser is used: which one the JVM finds depends on the job's class path, and
 * the agent must not be the one that loads it.
 */
final class JobFile {
  /** Name of the file in every task's container (MRJobConfig.JOB_CONF_FILE). */
  static final String NAME = "job.xml";

  private static final long MOST_BYTES = 64L << 20;

  private final String xml;

  private JobFile(String xml) {
    this.xml = xml;
  }

  /** Reads the file; throws where there is none, or it is far too large for one. */
  static JobFile read(File file) throws IOException {
    if (file.length() > MOST_BYTES) {
      throw new IOException(file + " has " + file.length() + " bytes");
    }
    return new JobFile(new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8));
  }

  /** The value of a property as it is written; null if it is not there. */
  String value(String property) {
    int name = xml.indexOf("<name>" + property + "</name>");
    if (name < 0) {
      return null;
    }
    int end = xml.indexOf("</property>", name);
    int from = xml.indexOf("<value>", name);
    if (from < 0 || from > end) {
      return ""; // an empty value is written as <value/>
    }
    int to = xml.indexOf("</value>", from);
    return to < 0 ? null : unescaped(xml.substring(from + "<value>".length(), to));
  }

  private static String unescaped(String text) {
    return text.indexOf('&') < 0
        ? text
        : text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&amp;", "&");
  }
}
