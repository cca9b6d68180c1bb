package org.apache.hadoop.mapred;

import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Runs one task attempt in a JVM of its own, as YarnChild does, with nobody at the other end of the
 * umbilical: {@code OneTask FOLDER ATTEMPT MAPS}.
 *
 * <p>The folder holds {@code job.xml} and the split files. Counters are left in {@code
 * FOLDER/ATTEMPT/counters.properties}. In this package because a task shows its counters to nobody
 * else.
 */
public final class OneTask {
  /** Called when a task has come to its end, one way or another. */
  public static Runnable whenOver = () -> {};

  private OneTask() {}

  public static void main(String[] args) throws Throwable {
    System.exit(run(new File(args[0]), args[1], Integer.parseInt(args[2])));
  }

  /** Runs it in this JVM; 0 if it went well. */
  public static int run(File folder, String id, int maps) throws Exception {
    TaskAttemptID attempt = TaskAttemptID.forName(id);
    JobConf conf = confOf(folder, attempt);
    Task task = attempt.isMap() ? map(folder, attempt, conf) : reduce(folder, attempt, conf, maps);
    task.setUser(UserGroupInformation.getCurrentUser().getShortUserName());
    task.setJobFile(new File(folder, "job.xml").getPath());
    task.localizeConfiguration(conf);
    task.setConf(conf);
    int status = 0;
    try {
      try {
        task.run(conf, umbilical());
      } finally {
        whenOver.run();
      }
    } catch (Exception e) {
      e.printStackTrace();
      task.taskCleanup(umbilical());
      status = 1;
    } catch (Throwable e) {
      e.printStackTrace();
      status = 2;
    } finally {
      writeCounters(task, new File(new File(folder, id), "counters.properties"));
      endReporting(task);
    }
    return status;
  }

  /**
   * Lets the thread end that reports to the umbilical. That of a task which failed would go on, and
   * end this JVM with 65 where it meets its third error, be that of another task's full heap.
   */
  private static void endReporting(Task task) throws ReflectiveOperationException {
    Field done = Task.class.getDeclaredField("taskDone");
    done.setAccessible(true);
    ((AtomicBoolean) done.get(task)).set(true);
  }

  private static Task map(File folder, TaskAttemptID attempt, JobConf conf) throws Exception {
    Path submitted = new Path(folder.toURI());
    TaskSplitMetaInfo[] splits =
        SplitMetaInfoReader.readSplitMetaInfo(
            attempt.getJobID(), submitted.getFileSystem(conf), conf, submitted);
    int index = attempt.getTaskID().getId();
    return new MapTask("job.xml", attempt, index, splits[index].getSplitIndex(), 1);
  }

  private static Task reduce(File folder, TaskAttemptID attempt, JobConf conf, int maps) {
    ReduceTask task = new ReduceTask("job.xml", attempt, attempt.getTaskID().getId(), maps, 1);
    Map<TaskAttemptID, MapOutputFile> files = new LinkedHashMap<>();
    for (int i = 0; i < maps; i++) {
      TaskAttemptID map =
          new TaskAttemptID(
              new TaskID(attempt.getJobID(), org.apache.hadoop.mapreduce.TaskType.MAP, i), 0);
      MapOutputFile file = new MROutputFiles();
      file.setConf(confOf(folder, map));
      files.put(map, file);
    }
    task.setLocalMapFiles(files);
    return task;
  }

  private static JobConf confOf(File folder, TaskAttemptID attempt) {
    JobConf conf = new JobConf(new Path(new File(folder, "job.xml").toURI()));
    conf.set(MRConfig.LOCAL_DIR, new File(new File(folder, attempt.toString()), "local").getPath());
    return conf;
  }

  private static TaskUmbilicalProtocol umbilical() {
    InvocationHandler handler =
        (proxy, method, args) -> {
          switch (method.getName()) {
            case "ping": // before 3.0
              return true;
            case "statusUpdate":
              if (method.getReturnType() == boolean.class) {
                return true; // before 3.0
              }
              AMFeedback feedback = new AMFeedback();
              feedback.setTaskFound(true);
              return feedback;
            case "canCommit":
              return true;
            case "getMapCompletionEvents":
              return new MapTaskCompletionEventsUpdate(TaskCompletionEvent.EMPTY_ARRAY, false);
            default:
              return null;
          }
        };
    return (TaskUmbilicalProtocol)
        Proxy.newProxyInstance(
            OneTask.class.getClassLoader(), new Class<?>[] {TaskUmbilicalProtocol.class}, handler);
  }

  private static void writeCounters(Task task, File file) throws Exception {
    Properties properties = new Properties();
    for (Counters.Group group : task.getCounters()) {
      for (Counters.Counter counter : group) {
        properties.setProperty(counter.getName(), Long.toString(counter.getCounter()));
      }
    }
    try (OutputStream out = new FileOutputStream(file)) {
      properties.store(out, null);
    }
  }
}
