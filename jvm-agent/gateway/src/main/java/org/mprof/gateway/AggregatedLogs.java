package org.mprof.gateway;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.logaggregation.ContainerLogFileInfo;
import org.apache.hadoop.yarn.logaggregation.ContainerLogMeta;
import org.apache.hadoop.yarn.logaggregation.ContainerLogsRequest;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileController;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileControllerFactory;

/**
 * Aggregated logs of a container, back into one file each, byte for byte.
 *
 * <p>{@code yarn logs -out} would put all files of a container into one, text between them; the
 * controllers behind it (since Hadoop 2.9) can be asked for one file at a time.
 */
final class AggregatedLogs {

  private final Configuration configuration;

  AggregatedLogs(Configuration configuration) {
    this.configuration = configuration;
  }

  /** The number of files; 0 where the cluster has no logs of the application yet, or any more. */
  int fetch(String container, String node, String owner, File folder) throws IOException {
    ApplicationId application =
        ContainerId.fromString(container).getApplicationAttemptId().getApplicationId();
    LogAggregationFileControllerFactory controllers =
        new LogAggregationFileControllerFactory(configuration);
    LogAggregationFileController controller;
    try {
      controller = controllers.getFileControllerForRead(application, owner);
    } catch (IOException unspecific) {
      list(controllers.getFileControllerForWrite().getRemoteAppLogDir(application, owner));
      return 0;
    }
    ContainerLogsRequest request = new ContainerLogsRequest();
    request.setAppId(application);
    request.setAppOwner(owner);
    request.setContainerId(container);
    request.setNodeId(node);
    request.setAppFinished(true);
    request.setBytes(Long.MAX_VALUE);

    Set<String> names = new LinkedHashSet<>();
    List<ContainerLogMeta> found = controller.readAggregatedLogsMeta(request);
    for (ContainerLogMeta meta : found) {
      for (ContainerLogFileInfo file : meta.getContainerLogMeta()) {
        names.add(file.getFileName());
      }
    }
    for (String name : names) {
      request.setLogTypes(Collections.singleton(name));
      File target = new File(folder, new File(name).getName());
      try (OutputStream file = new BufferedOutputStream(new FileOutputStream(target))) {
        controller.readAggregatedLogs(request, new Bodies(file));
      }
    }
    return names.size();
  }

  /**
   * Throws whatever keeps a folder from being listed, except that it is not there.
   *
   * <p>LogAggregationFileControllerFactory keeps of such an exception the message alone.
   */
  private void list(Path folder) throws IOException {
    try {
      folder.getFileSystem(configuration).listStatus(folder);
    } catch (FileNotFoundException nothingThere) {
      // Not yet, or deleted by their age (yarn.log-aggregation.retain-seconds).
    }
  }

  /**
   * Passes on what stands between "LogContents:" and as many bytes later as "LogLength:" said, and
   * drops the text around it (LogToolUtils.outputContainerLog).
   */
  static final class Bodies extends OutputStream {

    private static final String LENGTH = "LogLength:";
    private static final String CONTENTS = "LogContents:";

    private final OutputStream target;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long announced;
    private long remaining;

    Bodies(OutputStream target) {
      this.target = target;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      int at = offset;
      int end = offset + length;
      while (at < end) {
        if (remaining > 0) {
          int share = (int) Math.min(remaining, end - at);
          target.write(bytes, at, share);
          remaining -= share;
          at += share;
        } else {
          write(bytes[at++]);
        }
      }
    }

    @Override
    public void write(int value) throws IOException {
      if (remaining > 0) {
        target.write(value);
        remaining--;
      } else if (value == '\n') {
        endLine(line.toString("UTF-8").trim());
        line.reset();
      } else {
        line.write(value);
      }
    }

    private void endLine(String text) {
      if (text.startsWith(LENGTH)) {
        announced = Long.parseLong(text.substring(LENGTH.length()).trim());
      } else if (text.startsWith(CONTENTS)) {
        remaining = announced;
        announced = 0;
      }
    }
  }
}
