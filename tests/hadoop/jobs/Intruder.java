import java.util.Arrays;
import java.util.Collections;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Runs a command in a container of a cluster: {@code Intruder COMMAND}; anybody's, if it may. */
public class Intruder {

  public static void main(String[] arguments) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    conf.setInt("yarn.resourcemanager.connect.max-wait.ms", 1000);
    conf.setInt("yarn.resourcemanager.connect.retry-interval.ms", 500);
    conf.setInt("ipc.client.connect.max.retries", 1);
    YarnClient client = YarnClient.createYarnClient();
    client.init(conf);
    client.start();
    YarnClientApplication made = client.createApplication();
    ApplicationSubmissionContext context = made.getApplicationSubmissionContext();
    context.setResource(Resource.newInstance(256, 1));
    context.setMaxAppAttempts(1);
    context.setAMContainerSpec(
        ContainerLaunchContext.newInstance(
            Collections.emptyMap(), Collections.emptyMap(), Arrays.asList(arguments[0]), null, null,
            null));
    client.submitApplication(context);
    YarnApplicationState state;
    do {
      Thread.sleep(200);
      state = client.getApplicationReport(context.getApplicationId()).getYarnApplicationState();
    } while (state != YarnApplicationState.FAILED && state != YarnApplicationState.FINISHED);
  }
}
