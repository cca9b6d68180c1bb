package org.mprof.gateway;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;

/**
 * A real cluster in this JVM: ResourceManager, one NodeManager, history server, and each task in a
 * JVM of its own. Its settings come from the configuration folder on the class path; only what is
 * known once it runs (ports, folders) is told back.
 */
final class EmbeddedCluster {

  /** Addresses that MiniYARNCluster chooses at start and a client has to know. */
  private static final String[] ADDRESSES = {
    "yarn.resourcemanager.address",
    "yarn.resourcemanager.admin.address",
    "yarn.resourcemanager.scheduler.address",
    "yarn.resourcemanager.resource-tracker.address",
    "yarn.resourcemanager.webapp.address",
    "mapreduce.jobhistory.address",
    "mapreduce.jobhistory.webapp.address",
  };

  private EmbeddedCluster() {}

  /**
   * Starts the cluster.
   *
   * @param workFolder where it keeps its data; made by the caller
   * @param client gets the addresses, so that it can be used as a client's configuration
   * @return what a client in another process has to know
   */
  static Map<String, Object> start(Path workFolder, Configuration client) {
    // Read by GenericTestUtils.getTestDir, which would else use target/ of the current folder.
    System.setProperty("test.build.data", workFolder.toString());
    MiniMRYarnCluster cluster = new MiniMRYarnCluster("mprof", 1);
    cluster.init(new JobConf());
    cluster.start();

    Configuration live = cluster.getConfig();
    Map<String, Object> addresses = new LinkedHashMap<>();
    for (String key : ADDRESSES) {
      addresses.put(key, live.get(key));
      client.set(key, live.get(key));
    }
    client.set("yarn.app.mapreduce.am.staging-dir", live.get("yarn.app.mapreduce.am.staging-dir"));
    Configuration node = cluster.getNodeManager(0).getConfig();
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("addresses", addresses);
    facts.put("log_dirs", Arrays.asList(node.getTrimmedStrings("yarn.nodemanager.log-dirs")));
    facts.put("local_dirs", Arrays.asList(node.getTrimmedStrings("yarn.nodemanager.local-dirs")));
    facts.put("data_dir", new File(cluster.getTestWorkDir().getPath()).getAbsolutePath());
    facts.put("staging_dir", live.get("yarn.app.mapreduce.am.staging-dir"));
    return facts;
  }
}
