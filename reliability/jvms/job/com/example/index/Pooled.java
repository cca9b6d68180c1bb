package com.example.index;

import org.apache.hadoop.io.compress.Decompressor;

/** A decompressor that was never taken from the pool of Hadoop to which it is given back. */
final class Pooled implements Decompressor {
  final byte[] dictionary;

  Pooled(byte[] dictionary) {
    this.dictionary = dictionary;
  }

  @Override
  public void setInput(byte[] bytes, int offset, int length) {}

  @Override
  public boolean needsInput() {
    return false;
  }

  @Override
  public void setDictionary(byte[] bytes, int offset, int length) {}

  @Override
  public boolean needsDictionary() {
    return false;
  }

  @Override
  public boolean finished() {
    return true;
  }

  @Override
  public int decompress(byte[] bytes, int offset, int length) {
    return 0;
  }

  @Override
  public int getRemaining() {
    return 0;
  }

  @Override
  public void reset() {}

  @Override
  public void end() {}
}
