package org.example.lemmas;

import edu.stanford.nlp.ling.CoreAnnotations.LemmaAnnotation;
import edu.stanford.nlp.ling.CoreAnnotations.SentencesAnnotation;
import edu.stanford.nlp.ling.CoreAnnotations.TokensAnnotation;
import edu.stanford.nlp.ling.CoreLabel;
import edu.stanford.nlp.pipeline.Annotation;
import edu.stanford.nlp.pipeline.StanfordCoreNLP;
import edu.stanford.nlp.util.CoreMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** The lemmas of a text, by a pipeline that annotates the whole of it. */
final class StanfordLemmatizer {

  /** File with the tagger, in the working folder. */
  static final String TAGGER = "tagger";

  private final StanfordCoreNLP pipeline;

  StanfordLemmatizer() {
    Properties settings = new Properties();
    settings.setProperty("annotators", "tokenize, ssplit, pos, lemma");
    settings.setProperty("pos.model", TAGGER);
    pipeline = new StanfordCoreNLP(settings);
  }

  List<String> lemmatize(String text) {
    Annotation document = new Annotation(text);
    pipeline.annotate(document);
    List<String> lemmas = new ArrayList<>();
    for (CoreMap sentence : document.get(SentencesAnnotation.class)) {
      for (CoreLabel token : sentence.get(TokensAnnotation.class)) {
        lemmas.add(token.get(LemmaAnnotation.class));
      }
    }
    return lemmas;
  }
}
