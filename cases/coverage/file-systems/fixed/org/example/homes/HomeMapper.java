package org.example.homes;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.security.UserGroupInformation;

/** A line is a user, who looks for a home folder; each gets a file system, which is closed at once. */
public class HomeMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private final LongWritable one = new LongWritable(1);

  @Override
  protected void map(LongWritable offset, Text user, Context context)
      throws IOException, InterruptedException {
    UserGroupInformation caller = UserGroupInformation.createRemoteUser(user.toString());
    Configuration conf = new Configuration(context.getConfiguration());
    FileSystem files =
        caller.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.get(conf));
    boolean found = files.exists(new Path("/home", user.toString()));
    FileSystem.closeAllForUGI(caller);
    context.write(new Text(found ? "there" : "missing"), one);
  }
}
