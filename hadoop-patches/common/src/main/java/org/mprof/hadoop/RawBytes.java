package org.mprof.hadoop;

import org.apache.hadoop.io.DataInputBuffer;
import org.mprof.agent.Digest;

/** Where the raw bytes of a key or a value lie, in an array of the framework's. */
final class RawBytes {
  private byte[] data;
  private int from;
  private int length;

  void are(DataInputBuffer buffer) {
    byte[] now = buffer.getData();
    if (data != now) { // a store of a reference is more than that to some collectors
      data = now;
    }
    from = buffer.getPosition();
    length = buffer.getLength() - from;
  }

  void are(RawBytes others) {
    if (data != others.data) {
      data = others.data;
    }
    from = others.from;
    length = others.length;
  }

  boolean areKnown() {
    return data != null;
  }

  long digest() {
    return Digest.of(data, from, length);
  }
}
