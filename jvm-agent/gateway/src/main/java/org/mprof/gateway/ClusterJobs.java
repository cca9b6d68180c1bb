package org.mprof.gateway;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.v2.LogParams;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Jobs and applications, through the public client classes of Hadoop 2.4 to 3.x. */
final class ClusterJobs {

  private static final int EVENTS_A_CALL = 500;

  private final Configuration configuration;
  private YarnClient yarn;

  ClusterJobs(Configuration configuration) {
    this.configuration = configuration;
  }

  List<Map<String, Object>> tagged(String tag) throws IOException, YarnException {
    GetApplicationsRequest request = GetApplicationsRequest.newInstance();
    request.setApplicationTags(Collections.singleton(tag));
    return rows(yarn().getApplications(request));
  }

  List<Map<String, Object>> live() throws IOException, YarnException {
    return rows(
        yarn()
            .getApplications(
                EnumSet.of(
                    YarnApplicationState.NEW,
                    YarnApplicationState.NEW_SAVING,
                    YarnApplicationState.SUBMITTED,
                    YarnApplicationState.ACCEPTED,
                    YarnApplicationState.RUNNING)));
  }

  Map<String, Object> progress(String job) throws IOException, YarnException, InterruptedException {
    Map<String, Object> answer = new LinkedHashMap<>();
    ApplicationReport application = applicationOf(job);
    if (application == null) {
      JobStatus status = status(job);
      answer.put("state", status.getState().name());
      answer.put("map_progress", status.getMapProgress());
      answer.put("reduce_progress", status.getReduceProgress());
      return answer;
    }
    String state = stateOf(application);
    answer.put("state", state);
    answer.put("ended_by_itself", endedByItself(application));
    answer.put("map_progress", "SUCCEEDED".equals(state) ? 1.0 : null);
    answer.put("reduce_progress", "SUCCEEDED".equals(state) ? 1.0 : null);
    if ("RUNNING".equals(state)) {
      try {
        JobStatus status = status(job);
        answer.put("map_progress", status.getMapProgress());
        answer.put("reduce_progress", status.getReduceProgress());
      } catch (IOException notYetOrNoMore) {
        // Between registration and the end of an application master nobody can tell.
      }
    }
    return answer;
  }

  Map<String, Object> describe(String job) throws IOException, YarnException, InterruptedException {
    Map<String, Object> answer = new LinkedHashMap<>();
    ApplicationReport application = applicationOf(job);
    answer.put("job_id", job);
    if (application != null) {
      answer.put("name", application.getName());
      answer.put("user", application.getUser());
      answer.put("state", stateOf(application));
      answer.put("diagnostics", application.getDiagnostics());
      answer.put("submit_time_ms", application.getStartTime());
      answer.put("finish_time_ms", application.getFinishTime());
      answer.put("ended_by_itself", endedByItself(application));
    }
    Cluster cluster = new Cluster(configuration);
    try {
      Job found = application == null ? known(cluster, job) : knownOrNull(cluster, job);
      answer.put("history", false);
      if (found != null) {
        addJob(cluster, found, application == null, answer);
      }
    } finally {
      cluster.close();
    }
    return answer;
  }

  /** The job's status as its master or the history server has it. */
  JobStatus status(String job) throws IOException, InterruptedException {
    // A new client each time: one that has met the master keeps asking it when it is gone.
    Cluster cluster = new Cluster(configuration);
    try {
      return known(cluster, job).getStatus();
    } finally {
      cluster.close();
    }
  }

  /** The largest container that the ResourceManager grants anybody, in MB. */
  long largestContainer() throws IOException, YarnException {
    return yarn()
        .createApplication()
        .getNewApplicationResponse()
        .getMaximumResourceCapability()
        .getMemory();
  }

  void kill(String job) throws IOException, YarnException {
    yarn().killApplication(idOf(job));
  }

  private void addJob(Cluster cluster, Job job, boolean alone, Map<String, Object> answer)
      throws IOException, InterruptedException {
    JobStatus status = job.getStatus();
    answer.put("start_time_ms", status.getStartTime());
    if (alone) {
      answer.put("name", status.getJobName());
      answer.put("user", status.getUsername());
      answer.put("state", status.getState().name());
      answer.put("diagnostics", status.getFailureInfo());
      answer.put("finish_time_ms", status.getFinishTime());
    }
    answer.put("uber", status.isUber());
    answer.put("map_progress", status.getMapProgress());
    answer.put("reduce_progress", status.getReduceProgress());
    answer.put("counters", countersOf(job.getCounters()));
    List<Map<String, Object>> attempts = attemptsOf(cluster, job);
    answer.put("attempts", attempts);
    // For a master that never came up the client invents an empty job (NotRunningJob).
    String file = status.getHistoryFile();
    boolean written = file != null && file.endsWith(".jhist");
    answer.put("history", written || (status.isJobComplete() && !attempts.isEmpty()));
  }

  private static Map<String, Object> countersOf(Counters counters) {
    Map<String, Object> groups = new LinkedHashMap<>();
    if (counters != null) {
      for (CounterGroup group : counters) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Counter counter : group) {
          values.put(counter.getName(), counter.getValue());
        }
        groups.put(group.getName(), values);
      }
    }
    return groups;
  }

  private static List<Map<String, Object>> attemptsOf(Cluster cluster, Job job)
      throws IOException, InterruptedException {
    Map<String, Map<String, Object>> rows = new LinkedHashMap<>();
    int from = 0;
    TaskCompletionEvent[] events = job.getTaskCompletionEvents(from, EVENTS_A_CALL);
    while (events != null && events.length > 0) {
      for (TaskCompletionEvent event : events) {
        TaskAttemptID id = event.getTaskAttemptId();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("attempt_id", id.toString());
        row.put("task_type", id.getTaskType().name());
        row.put("state", event.getStatus().name());
        row.put("run_time_ms", event.getTaskRunTime());
        addPlace(cluster, job.getJobID(), id, row);
        boolean good = event.getStatus() == TaskCompletionEvent.Status.SUCCEEDED;
        row.put("diagnostics", good ? "" : diagnosticsOf(job, id));
        // A later event about the same attempt (obsolete after its node was lost) wins.
        rows.put(id.toString(), row);
      }
      from += events.length;
      events = job.getTaskCompletionEvents(from, EVENTS_A_CALL);
    }
    return new ArrayList<>(rows.values());
  }

  private static void addPlace(
      Cluster cluster, JobID job, TaskAttemptID attempt, Map<String, Object> row) {
    try {
      LogParams place = cluster.getLogParams(job, attempt);
      row.put("container_id", place.getContainerId());
      row.put("node", place.getNodeId());
    } catch (IOException | InterruptedException | RuntimeException neverAssigned) {
      // An attempt that was killed before it got a container has no place.
      row.put("container_id", null);
      row.put("node", null);
    }
  }

  private static String diagnosticsOf(Job job, TaskAttemptID attempt)
      throws IOException, InterruptedException {
    String[] lines = job.getTaskDiagnostics(attempt);
    return lines == null ? "" : String.join("\n", lines);
  }

  private static Job known(Cluster cluster, String job) throws IOException, InterruptedException {
    Job found = cluster.getJob(JobID.forName(job));
    if (found == null) {
      throw new FileNotFoundException("no job " + job + " on this cluster");
    }
    return found;
  }

  private static Job knownOrNull(Cluster cluster, String job) throws InterruptedException {
    try {
      return known(cluster, job);
    } catch (IOException unknown) {
      return null;
    }
  }

  /** What the ResourceManager knows, or null if it has forgotten the application. */
  private ApplicationReport applicationOf(String job) throws IOException, YarnException {
    try {
      return yarn().getApplicationReport(idOf(job));
    } catch (ApplicationNotFoundException forgotten) {
      return null;
    }
  }

  private static String stateOf(ApplicationReport application) {
    switch (application.getYarnApplicationState()) {
      case FINISHED:
        FinalApplicationStatus end = application.getFinalApplicationStatus();
        return end == FinalApplicationStatus.UNDEFINED ? "FAILED" : end.name();
      case FAILED:
        return "FAILED";
      case KILLED:
        return "KILLED";
      case RUNNING:
        return "RUNNING";
      default:
        return "PREP";
    }
  }

  /** Whether its master ended in good order, whatever it says of the job, and left a history. */
  private static boolean endedByItself(ApplicationReport application) {
    return application.getYarnApplicationState() == YarnApplicationState.FINISHED;
  }

  private static ApplicationId idOf(String job) {
    JobID id = JobID.forName(job);
    return ApplicationId.newInstance(Long.parseLong(id.getJtIdentifier()), id.getId());
  }

  private static List<Map<String, Object>> rows(List<ApplicationReport> applications) {
    List<Map<String, Object>> answer = new ArrayList<>();
    for (ApplicationReport application : applications) {
      ApplicationId id = application.getApplicationId();
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("application_id", id.toString());
      row.put("job_id", new JobID(String.valueOf(id.getClusterTimestamp()), id.getId()).toString());
      row.put("type", application.getApplicationType());
      row.put("name", application.getName());
      row.put("state", stateOf(application));
      answer.add(row);
    }
    return answer;
  }

  private synchronized YarnClient yarn() {
    if (yarn == null) {
      YarnClient client = YarnClient.createYarnClient();
      client.init(configuration);
      client.start();
      yarn = client;
    }
    return yarn;
  }
}
