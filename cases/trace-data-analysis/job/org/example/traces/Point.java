package org.example.traces;

/** Where a user was at a time; points are in the order of time. */
final class Point implements Comparable<Point> {

  private static final double KILOMETRES_A_DEGREE = 111.2;

  private final long seconds;
  private final double latitude;
  private final double longitude;
  private final String road;

  private Point(long seconds, double latitude, double longitude, String road) {
    this.seconds = seconds;
    this.latitude = latitude;
    this.longitude = longitude;
    this.road = road;
  }

  /** Reads "time,latitude,longitude,road". */
  static Point parse(String text) {
    String[] fields = text.split(",");
    return new Point(
        Long.parseLong(fields[0]),
        Double.parseDouble(fields[1]),
        Double.parseDouble(fields[2]),
        fields[3]);
  }

  String road() {
    return road;
  }

  double kilometresTo(Point other) {
    double north = other.latitude - latitude;
    double east = (other.longitude - longitude) * Math.cos(Math.toRadians(latitude));
    return KILOMETRES_A_DEGREE * Math.hypot(north, east);
  }

  @Override
  public int compareTo(Point other) {
    return Long.compare(seconds, other.seconds);
  }
}
