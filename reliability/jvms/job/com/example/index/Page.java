package com.example.index;

/** A page, and the one that was read before it. */
final class Page {
  final byte[] title;
  final Page before;

  Page(byte[] title, Page before) {
    this.title = title;
    this.before = before;
  }
}
