import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.TaskLog;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;

/**
 * The last seconds of a map task without a cluster: a mapper that fills the heap in its set-up, the
 * threads that a task has beside it (log syncer, status reporter), Hadoop's handler of errors, and
 * an exit once the error has left the mapper, as {@code YarnChild} has it.
 */
public final class FullSetup {
  private FullSetup() {}

  /** Keeps every row, in small objects alone: nothing is left free for anybody at the end. */
  public static final class Rows extends Mapper<LongWritable, Text, Text, Text> {
    private Row last;

    @Override
    protected void setup(Context context) {
      for (long i = 0; ; i++) {
        last = new Row(new StringBuilder("the title of page ").append(i).toString(), last);
      }
    }
  }

  private static final class Row {
    final String title;
    final Row before;

    Row(String title, Row before) {
      this.title = title;
      this.before = before;
    }
  }

  public static void main(String[] args) throws Exception {
    prepareAsTheReaderOfATaskDoes();
    Thread.setDefaultUncaughtExceptionHandler(new YarnUncaughtExceptionHandler());
    ScheduledExecutorService syncer = TaskLog.createLogSyncer();
    Thread reporter = new Thread(FullSetup::report, "communication thread");
    reporter.setDaemon(true);
    reporter.start();
    try {
      new Rows().run(null);
    } catch (Throwable error) {
      System.err.println("died: " + error);
    } finally {
      TaskLog.syncLogsShutdown(syncer);
    }
    System.exit(3);
  }

  /** The agent's hook of the task's record reader makes this object, before any set-up. */
  private static void prepareAsTheReaderOfATaskDoes() throws Exception {
    try {
      Class.forName("org.mprof.hadoop.MapInput").getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      // A plain run.
    }
  }

  /** A status update every three seconds. */
  private static void report() {
    Object lock = new Object();
    while (true) {
      try {
        synchronized (lock) {
          lock.wait(3000);
        }
        byte[] call = new byte[8192];
        call[0] = 1;
      } catch (InterruptedException | OutOfMemoryError e) {
        // As TaskReporter does: it tries again.
      }
    }
  }
}
