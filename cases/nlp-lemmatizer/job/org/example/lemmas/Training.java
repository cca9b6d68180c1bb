package org.example.lemmas;

import edu.stanford.nlp.tagger.maxent.MaxentTagger;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Random;

/** Trains a part-of-speech tagger on made-up sentences, because the library comes without one. */
final class Training {

  private static final int SENTENCES = 1_500;
  private static final String[] ADJECTIVES = {"old", "new", "small", "great", "green", "curious"};
  private static final String[] NOUNS = {"cat", "dog", "house", "book", "child", "river", "teacher"};
  private static final String[] VERBS = {"sees", "takes", "finds", "calls", "gives", "opens"};

  private Training() {}

  /** Writes the tagger into a file of a new local folder. */
  static File train() throws Exception {
    Path folder = Files.createTempDirectory("training");
    Path tagger = folder.resolve("tagger");
    Path sentences = folder.resolve("sentences.txt");
    Path settings = folder.resolve("training.properties");
    writeSentences(sentences);
    Properties training = new Properties();
    training.setProperty("model", tagger.toString());
    training.setProperty("trainFile", sentences.toString());
    training.setProperty("tagSeparator", "_");
    training.setProperty("encoding", "UTF-8");
    training.setProperty("arch", "words(-1,1),suffix(3),order(1)");
    training.setProperty("search", "qn");
    training.setProperty("sigmaSquared", "0.5");
    try (OutputStream out = Files.newOutputStream(settings)) {
      training.store(out, null);
    }
    MaxentTagger.main(new String[] {"-props", settings.toString()});
    return tagger.toFile();
  }

  private static void writeSentences(Path file) throws IOException {
    Random random = new Random(1);
    try (Writer out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < SENTENCES; i++) {
        out.write("the_DT " + one(ADJECTIVES, random) + "_JJ " + one(NOUNS, random) + "_NN ");
        out.write(one(VERBS, random) + "_VBZ a_DT " + one(NOUNS, random) + "_NN ._.\n");
      }
    }
  }

  private static String one(String[] words, Random random) {
    return words[random.nextInt(words.length)];
  }
}
