package com.example.script;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Prints what a keeper holds while and after it takes in each record, in bytes. */
public final class Growing {
  private Growing() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    Keeper keeper = new Keeper(in.readLine().split("\\|", -1));
    int records = Integer.parseInt(in.readLine());
    for (int i = 0; i < records; i++) {
      keeper.take(100, true);
      if (keeper.isEmptied()) {
        keeper.count = 0;
      }
      keeper.count += Math.max(0, keeper.missing());
      long during = keeper.count * keeper.element + (keeper.slots > 1 ? 4L * keeper.slots : 0);
      if (keeper.isFlushed()) {
        keeper.count = 0;
      }
      long after = keeper.count * keeper.element + (keeper.slots > 1 ? 4L * keeper.slots : 0);
      System.out.println(during + " " + after);
    }
  }
}
