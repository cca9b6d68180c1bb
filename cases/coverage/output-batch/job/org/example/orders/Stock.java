package org.example.orders;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.hadoop.mapreduce.lib.db.DBWritable;

/** A row of the table: an article, and how many of it are reserved. */
public class Stock implements DBWritable {
  private String article;
  private long reserved;

  public Stock(String article, long reserved) {
    this.article = article;
    this.reserved = reserved;
  }

  @Override
  public void write(PreparedStatement statement) throws SQLException {
    statement.setString(1, article);
    statement.setLong(2, reserved);
    statement.setString(3, "reserved " + reserved + " of " + article + " by the orders of the day");
  }

  @Override
  public void readFields(ResultSet row) throws SQLException {
    article = row.getString(1);
    reserved = row.getLong(2);
  }
}
