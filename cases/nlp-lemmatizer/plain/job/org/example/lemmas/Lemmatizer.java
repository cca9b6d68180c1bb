package org.example.lemmas;

import java.util.ArrayList;
import java.util.List;

/**
 * A pipeline over a whole text: tokens, then sentences, then a part of speech and a lemma for each
 * token. Annotations are objects that live until the text is done.
 */
final class Lemmatizer {

  private static final int MODEL_SIZE = 1 << 22;

  /** How likely a suffix is of a part of speech; stands for the model of a real tagger. */
  private final float[] model = new float[MODEL_SIZE];

  Lemmatizer() {
    for (int i = 0; i < MODEL_SIZE; i++) {
      model[i] = ((i * 2654435761L) & 0xffff) / 65536f;
    }
  }

  List<String> lemmatize(String text) {
    List<Token> tokens = tokenize(text);
    List<List<Token>> sentences = split(tokens);
    for (List<Token> sentence : sentences) {
      for (Token token : sentence) {
        token.tag = tag(token.word);
        token.lemma = lemma(token.word, token.tag);
      }
    }
    List<String> lemmas = new ArrayList<>(tokens.size());
    for (Token token : tokens) {
      lemmas.add(token.lemma);
    }
    return lemmas;
  }

  private static List<Token> tokenize(String text) {
    List<Token> tokens = new ArrayList<>();
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf(' ', start);
      if (end < 0) {
        end = text.length();
      }
      if (end > start) {
        tokens.add(new Token(text.substring(start, end), start, end));
      }
      start = end + 1;
    }
    return tokens;
  }

  private static List<List<Token>> split(List<Token> tokens) {
    List<List<Token>> sentences = new ArrayList<>();
    List<Token> sentence = new ArrayList<>();
    for (Token token : tokens) {
      sentence.add(token);
      if (token.word.endsWith(".")) {
        sentences.add(sentence);
        sentence = new ArrayList<>();
      }
    }
    sentences.add(sentence);
    return sentences;
  }

  private String tag(String word) {
    int suffix = word.substring(Math.max(0, word.length() - 3)).hashCode();
    float score = model[suffix & (MODEL_SIZE - 1)];
    return score < 0.5f ? "NN" : score < 0.8f ? "VB" : "JJ";
  }

  private static String lemma(String word, String tag) {
    String plain = word.endsWith(".") ? word.substring(0, word.length() - 1) : word;
    if (tag.equals("VB") && plain.endsWith("ing")) {
      return plain.substring(0, plain.length() - 3);
    }
    return plain.endsWith("s") ? plain.substring(0, plain.length() - 1) : plain;
  }

  private static final class Token {
    private final String word;
    private final int start;
    private final int end;
    private String tag;
    private String lemma;

    Token(String word, int start, int end) {
      this.word = word;
      this.start = start;
      this.end = end;
    }

    @Override
    public String toString() {
      return word + "[" + start + "," + end + ")/" + tag + "/" + lemma;
    }
  }
}
