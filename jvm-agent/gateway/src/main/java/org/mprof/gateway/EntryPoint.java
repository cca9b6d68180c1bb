package org.mprof.gateway;

import java.io.File;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * What Python may ask of the cluster. Every method takes plain values and answers with a plain
 * value, or with JSON text where there is more than one.
 */
public final class EntryPoint {

  private final Configuration configuration;
  private final ClusterFiles files;
  private final ClusterJobs jobs;

  EntryPoint(Configuration configuration) {
    this.configuration = patient(configuration);
    this.files = new ClusterFiles(this.configuration);
    this.jobs = new ClusterJobs(this.configuration);
  }

  /** The Hadoop version of this class path; also the answer that shows the gateway is alive. */
  public String version() {
    return VersionInfo.getVersion();
  }

  /** A property as this gateway sees it, defaults included, or null. */
  public String property(String key) {
    return configuration.get(key);
  }

  /**
   * What the site files of a client configuration folder say, without defaults.
   *
   * @return JSON: {@code values}, key to unexpanded value; {@code final}, the keys nobody may set
   */
  public String siteProperties(String folder) {
    return Json.write(SiteFiles.read(new File(folder)));
  }

  /** JSON list of the applications, in any state, that carry the tag. */
  public String applicationsTagged(String tag) throws IOException, YarnException {
    return Json.write(jobs.tagged(tag));
  }

  /** JSON list of the applications that have not ended; fails if the ResourceManager is away. */
  public String liveApplications() throws IOException, YarnException {
    return Json.write(jobs.live());
  }

  /** JSON: {@code state}, {@code map_progress} and {@code reduce_progress} (0 to 1). */
  public String progress(String job) throws IOException, YarnException, InterruptedException {
    return Json.write(jobs.progress(job));
  }

  /** JSON: all that the cluster says about the job and its attempts. */
  public String job(String job) throws IOException, YarnException, InterruptedException {
    return Json.write(jobs.describe(job));
  }

  /** JSON: {@code jhist} and {@code conf_xml}, URIs or null while they are not there. */
  public String history(String job) throws IOException, YarnException, InterruptedException {
    return Json.write(new HistoryFolders(configuration, jobs).find(job));
  }

  /** The largest container of the cluster in MB; asking takes a job number that nobody uses. */
  public long largestContainer() throws IOException, YarnException {
    return jobs.largestContainer();
  }

  /** Kills the application of a job. */
  public void kill(String job) throws IOException, YarnException {
    jobs.kill(job);
  }

  /**
   * Writes the aggregated logs of one container, a file each, into a local folder.
   *
   * @return how many files; 0 while they are not aggregated
   */
  public int containerLogs(String container, String node, String owner, String folder)
      throws IOException {
    return new AggregatedLogs(configuration).fetch(container, node, owner, new File(folder));
  }

  /** The user's home on the default file system, fully qualified. */
  public String home() throws IOException {
    return files.home();
  }

  /** Who this is to the cluster's file systems: the owner of what is written. */
  public String user() throws IOException {
    return files.user();
  }

  public boolean exists(String uri) throws IOException {
    return files.exists(uri);
  }

  /** JSON list of the direct children: uri, is_folder, bytes, modified_ms, is_link. */
  public String list(String uri) throws IOException {
    return Json.write(files.list(uri));
  }

  /** JSON: the same of one file or folder, with owner and mode. */
  public String status(String uri) throws IOException {
    return Json.write(files.status(uri));
  }

  /** JSON: used and usable bytes of the file system that holds a path. */
  public String space(String uri) throws IOException {
    return Json.write(files.space(uri));
  }

  /** The first bytes of a file, as characters of ISO 8859-1. */
  public String head(String uri, int most) throws IOException {
    return files.head(uri, most);
  }

  public void setMode(String uri, int mode) throws IOException {
    files.setMode(uri, mode);
  }

  /** Deletes a file, or a folder that must be empty. */
  public void deleteOne(String uri) throws IOException {
    files.deleteOne(uri);
  }

  /** Makes a folder with that mode; answers with its URI as Hadoop writes it. */
  public String makeFolder(String uri, int mode) throws IOException {
    return files.makeFolder(uri, mode);
  }

  public void rename(String from, String to) throws IOException {
    files.rename(from, to);
  }

  public void delete(String uri) throws IOException {
    files.delete(uri);
  }

  public void put(String localFile, String uri) throws IOException {
    files.put(localFile, uri);
  }

  public void get(String uri, String localFile) throws IOException {
    files.get(uri, localFile);
  }

  /**
   * Writes a partition file, see {@link PartitionFile}.
   *
   * @return JSON: {@code key_class}, and {@code records} that each partition would get
   */
  public String partitionFile(
      String jobXml, String jars, String histogram, String target, int partitions)
      throws IOException {
    return Json.write(
        PartitionFile.write(configuration, jobXml, jars, histogram, target, partitions));
  }

  /** Writes this class path's classes as an agent patches them; answers with their number. */
  public int patchClasses(String agentJar, String target) throws IOException {
    return AgentClasses.patch(new File(agentJar), new File(target));
  }

  /** Ends this process at once; whoever calls has ended the applications before. */
  public void halt() {
    Thread end =
        new Thread(
            () -> {
              try {
                // Lets the answer to this call leave first.
                Thread.sleep(100);
              } catch (InterruptedException now) {
                Thread.currentThread().interrupt();
              }
              Runtime.getRuntime().halt(0);
            });
    end.start();
  }

  /**
   * A dead ResourceManager or history server is reported in seconds instead of the quarter of an
   * hour that the defaults allow (yarn-default.xml: resourcemanager.connect.max-wait.ms, 900000).
   */
  private static Configuration patient(Configuration from) {
    Configuration quick = new Configuration(from);
    quick.setInt("yarn.resourcemanager.connect.max-wait.ms", 6000);
    quick.setInt("yarn.resourcemanager.connect.retry-interval.ms", 2000);
    quick.setInt("ipc.client.connect.max.retries", 1);
    quick.setInt("ipc.client.connect.max.retries.on.timeouts", 1);
    quick.setInt("yarn.app.mapreduce.client.max-retries", 1);
    quick.setInt("yarn.app.mapreduce.client-am.ipc.max-retries", 1);
    return quick;
  }
}
