package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SketchTest {
  @Test
  void bucketIsTheOneTheDocumentDefines() {
    // Against logarithms, away from bucket bounds where doubles cannot decide.
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      long value = random.nextLong() >>> 1 + random.nextInt(62);
      double exact = Math.log(value) / Math.log(1.02);
      if (value >= 1 && Math.abs(exact - Math.rint(exact)) > 1e-6) {
        assertEquals((int) Math.ceil(exact), Sketch.bucket(value), "bucket of " + value);
      }
    }
    assertEquals(0, Sketch.bucket(1));
    assertEquals(36, Sketch.bucket(2));
  }

  @Test
  void estimateOfEverySizeIsAtMostOnePerCentOff() {
    Random random = new Random(2);
    for (int i = 0; i < 200_000; i++) {
      long value = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
      double estimate = 2 * Math.pow(1.02, Sketch.bucket(value)) / 2.02;
      assertTrue(Math.abs(estimate - value) <= value * 0.0100001, value + " as " + estimate);
    }
  }

  @Test
  void quartilesOfRandomSizesAreWithinOnePerCentOfTheExactOnes() {
    Random random = new Random(3);
    long[] values = new long[50_001];
    Sketch sketch = new Sketch();
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextGaussian() * 3 + 5);
      sketch.add(values[i]);
    }
    Arrays.sort(values);
    for (double share : new double[] {0.25, 0.5, 0.75, 0.99}) {
      long exact = values[(int) (share * (values.length - 1))];
      double estimate = sketch.estimateAt((long) (share * (values.length - 1)));
      assertTrue(Math.abs(estimate - exact) <= exact * 0.0100001, exact + " as " + estimate);
    }
  }

  @Test
  void zeroIsCountedApartAndUnknownIsNot() {
    Sketch sketch = new Sketch();
    sketch.add(0);
    sketch.add(Position.UNKNOWN);
    sketch.add(Long.MAX_VALUE);
    assertEquals(2, sketch.count());
    assertEquals(0.0, sketch.estimateAt(0));
    sketch.clear();
    assertEquals(0, sketch.count());
  }
}
