"""Classes that are no engine's and no user's: the JDK, the agent, and well-known libraries."""

from __future__ import annotations

from typing import Final

__all__ = ["AGENT", "JDK", "LIBRARIES"]

AGENT: Final = ("org.mprof.",)

JDK: Final = ("com.sun.", "java.", "javax.", "jdk.", "org.w3c.dom.", "org.xml.sax.", "sun.")

LIBRARIES: Final = (
    "akka.", "au.com.bytecode.", "breeze.", "ch.qos.logback.", "clojure.", "com.carrotsearch.hppc.",
    "com.clearspring.", "com.ctc.wstx.", "com.esotericsoftware.", "com.fasterxml.",
    "com.github.benmanes.", "com.github.luben.", "com.google.common.", "com.google.gson.",
    "com.google.inject.", "com.google.protobuf.", "com.google.re2j.", "com.jayway.",
    "com.koloboke.", "com.mchange.", "com.nimbusds.", "com.ning.compress.", "com.opencsv.",
    "com.thoughtworks.", "com.typesafe.", "com.univocity.", "com.vividsolutions.",
    "com.yahoo.sketches.", "com.zaxxer.", "edu.stanford.nlp.", "gnu.trove.", "groovy.",
    "io.dropwizard.", "io.micrometer.", "io.netty.", "io.reactivex.", "io.undertow.",
    "it.unimi.dsi.", "jakarta.", "javassist.", "kotlin.", "net.jpountz.", "net.minidev.",
    "net.openhft.", "net.sf.ehcache.", "net.sf.json.", "no.uib.cipr.", "nu.xom.", "opennlp.",
    "org.antlr.", "org.aopalliance.", "org.apache.arrow.", "org.apache.avro.",
    "org.apache.catalina.", "org.apache.commons.", "org.apache.coyote.", "org.apache.curator.",
    "org.apache.datasketches.", "org.apache.groovy.", "org.apache.htrace.", "org.apache.http.",
    "org.apache.kafka.", "org.apache.kerby.", "org.apache.log4j.", "org.apache.logging.",
    "org.apache.lucene.", "org.apache.mahout.math.buffer.", "org.apache.mahout.math.function.",
    "org.apache.mahout.math.list.", "org.apache.mahout.math.map.", "org.apache.mahout.math.set.",
    "org.apache.orc.", "org.apache.parquet.", "org.apache.pekko.", "org.apache.spark.",
    "org.apache.thrift.", "org.apache.tika.", "org.apache.tomcat.", "org.apache.velocity.",
    "org.apache.zookeeper.", "org.bouncycastle.", "org.checkerframework.", "org.cliffc.",
    "org.codehaus.", "org.dom4j.", "org.eclipse.collections.", "org.eclipse.jetty.", "org.ehcache.",
    "org.ejml.", "org.geotools.", "org.glassfish.", "org.h2.", "org.hibernate.", "org.htmlparser.",
    "org.infinispan.", "org.iq80.", "org.jboss.netty.", "org.jdom.", "org.jdom2.", "org.joda.time.",
    "org.json.", "org.jsoup.", "org.jvnet.", "org.la4j.", "org.locationtech.",
    "org.mozilla.javascript.", "org.objectweb.asm.", "org.objenesis.", "org.python.",
    "org.reactivestreams.", "org.roaringbitmap.", "org.slf4j.", "org.spark_project.",
    "org.springframework.", "org.tartarus.", "org.tukaani.", "org.xerial.", "org.yaml.snakeyaml.",
    "reactor.", "scala.", "weka.",
)  # fmt: skip
"""Libraries that an engine or user code calls as it calls the JDK.

What they hold is the caller's, and a frame of theirs is never blamed.
"""
