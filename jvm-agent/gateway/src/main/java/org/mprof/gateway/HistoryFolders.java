package org.mprof.gateway;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobHistoryUtils;

/**
 * Where the history of a job lies: first beside all that finished lately, in the user's own folder
 * (done_intermediate), which the user may read; then wherever the history server has moved it.
 */
final class HistoryFolders {

  private final Configuration configuration;
  private final ClusterJobs jobs;

  HistoryFolders(Configuration configuration, ClusterJobs jobs) {
    this.configuration = configuration;
    this.jobs = jobs;
  }

  Map<String, Object> find(String job) throws IOException, InterruptedException {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("jhist", null);
    answer.put("conf_xml", null);
    try {
      addFromServer(job, answer);
    } catch (FileNotFoundException unknown) {
      // Not scanned yet; the files may still lie in the intermediate folder.
    }
    if (answer.get("jhist") == null) {
      addFromIntermediate(job, answer);
    }
    return answer;
  }

  private void addFromServer(String job, Map<String, Object> answer)
      throws IOException, InterruptedException {
    JobStatus status = jobs.status(job);
    Path history = pathOf(status.getHistoryFile());
    if (history != null && history.getName().endsWith(".jhist") && exists(history)) {
      answer.put("jhist", qualified(history));
      Path conf = new Path(history.getParent(), job + "_conf.xml");
      if (exists(conf)) {
        answer.put("conf_xml", qualified(conf));
      }
    }
  }

  private void addFromIntermediate(String job, Map<String, Object> answer) throws IOException {
    Path root =
        new Path(JobHistoryUtils.getConfiguredHistoryIntermediateDoneDirPrefix(configuration));
    FileSystem fileSystem = root.getFileSystem(configuration);
    FileStatus[] found = fileSystem.globStatus(new Path(root, "*/" + job + "*"));
    if (found == null) {
      return;
    }
    for (FileStatus status : found) {
      String name = status.getPath().getName();
      if (name.startsWith(job + "-") && name.endsWith(".jhist")) {
        answer.put("jhist", status.getPath().toString());
      } else if (name.equals(job + "_conf.xml")) {
        answer.put("conf_xml", status.getPath().toString());
      }
    }
  }

  private static Path pathOf(String text) {
    return text == null || text.isEmpty() ? null : new Path(text);
  }

  private boolean exists(Path path) throws IOException {
    return path.getFileSystem(configuration).exists(path);
  }

  private String qualified(Path path) throws IOException {
    return path.getFileSystem(configuration).makeQualified(path).toString();
  }
}
