package org.example.combining;

/** A word of a note and where it stands. */
class Token {
  final String word;
  final int start;
  final int end;

  Token(String word, int start, int end) {
    this.word = word;
    this.start = start;
    this.end = end;
  }
}
