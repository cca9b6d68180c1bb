package org.example.traces;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Sorts the points of a user by time and measures the way. */
public class TraceReducer extends Reducer<Text, Text, Text, Text> {

  private final Text way = new Text();

  @Override
  protected void reduce(Text user, Iterable<Text> positions, Context context)
      throws IOException, InterruptedException {
    List<Point> trace = new ArrayList<>();
    for (Text position : positions) {
      trace.add(Point.parse(position.toString()));
    }
    Collections.sort(trace);
    double kilometres = 0;
    Set<String> roads = new HashSet<>();
    for (int i = 0; i < trace.size(); i++) {
      roads.add(trace.get(i).road());
      kilometres += i == 0 ? 0 : trace.get(i - 1).kilometresTo(trace.get(i));
    }
    way.set(Math.round(kilometres) + " km\t" + roads.size() + " roads");
    context.write(user, way);
  }
}
