package org.mprof.agent;

import java.nio.charset.StandardCharsets;

/** What statistics would write, for tests of those that fill them. */
public final class StatisticsText {
  private StatisticsText() {}

  /** The content of the event, without a position. */
  public static String of(Statistics statistics) {
    EventLine line = new EventLine(EventLine.START_BYTES, false);
    line.start(statistics.type(), EventLine.Rank.IMPORTANT);
    statistics.write(/* whole= */ false, line);
    String text = new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8);
    return text.substring(text.indexOf("\"scope\""), text.indexOf("\"at\""));
  }
}
