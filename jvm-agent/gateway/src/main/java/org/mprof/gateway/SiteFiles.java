package org.mprof.gateway;

import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The site files of a client configuration folder, read by Hadoop's own rules. */
final class SiteFiles {

  /** In the order in which a job's configuration loads them (ConfigUtil.loadResources). */
  private static final String[] NAMES = {"core-site.xml", "mapred-site.xml", "yarn-site.xml"};

  private SiteFiles() {}

  static Map<String, Object> read(File folder) {
    Configuration site = new Configuration(false);
    for (String name : NAMES) {
      File file = new File(folder, name);
      if (file.isFile()) {
        site.addResource(new Path(file.toURI()));
      }
    }
    Map<String, Object> values = new TreeMap<>();
    for (Map.Entry<String, String> entry : site) {
      values.put(entry.getKey(), site.getRaw(entry.getKey()));
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("values", values);
    answer.put("final", new TreeSet<>(site.getFinalParameters()));
    return answer;
  }
}
