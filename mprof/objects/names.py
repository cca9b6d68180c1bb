"""Whose class is it? Told from the class's name, and from what the job names as its own.

Three kinds are decisive: an object of a *user* class is the user's wherever it stands, one of a
*framework* class the framework's, one of the *agent* nobody's. *Neutral* classes (the JDK, Hadoop's
data types, collection libraries) belong to whoever holds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["ClassKind", "UserClasses", "element_class", "outer_class"]

ClassKind = Literal["user", "framework", "neutral", "agent"]

_AGENT = ("org.mprof.",)

# Packages of Hadoop that run a task. A list, because Hive, HBase and the examples live in
# org.apache.hadoop too and are the user's side.
_FRAMEWORK_PACKAGES = (
    "classification", "conf", "crypto", "filecache", "fs", "ha", "hdfs", "http", "io", "ipc",
    "jmx", "log", "mapred", "mapreduce", "metrics", "metrics2", "net", "oncrpc", "portmap",
    "registry", "security", "service", "streaming", "thirdparty", "tools", "tracing", "util",
    "yarn",
)  # fmt: skip
_FRAMEWORK = tuple(f"org.apache.hadoop.{name}." for name in _FRAMEWORK_PACKAGES)

# Data types and streams of Hadoop that user code holds as its own.
_NEUTRAL_HADOOP = (
    "org.apache.hadoop.io.",
    "org.apache.hadoop.fs.BufferedFS",
    "org.apache.hadoop.fs.FSData",
    "org.apache.hadoop.fs.FSInput",
    "org.apache.hadoop.fs.FileStatus",
    "org.apache.hadoop.fs.LocatedFileStatus",
    "org.apache.hadoop.fs.Path",
    "org.apache.hadoop.mapred.join.TupleWritable",
    "org.apache.hadoop.mapreduce.lib.join.TupleWritable",
    "org.apache.hadoop.util.LineReader",
    "org.apache.hadoop.util.PriorityQueue",
    "org.apache.hadoop.util.bloom.",
)

_JDK = ("com.sun.", "java.", "javax.", "jdk.", "org.w3c.dom.", "org.xml.sax.", "sun.")

# Libraries that Hadoop or user code calls as it calls the JDK: what they hold is the caller's, and
# a frame of theirs is never blamed.
_LIBRARIES = (
    "au.com.bytecode.", "breeze.", "ch.qos.logback.", "clojure.", "com.carrotsearch.hppc.",
    "com.clearspring.", "com.ctc.wstx.", "com.esotericsoftware.", "com.fasterxml.",
    "com.github.benmanes.", "com.github.luben.", "com.google.common.", "com.google.gson.",
    "com.google.inject.", "com.google.protobuf.", "com.google.re2j.", "com.jayway.",
    "com.koloboke.", "com.nimbusds.", "com.ning.compress.", "com.opencsv.", "com.thoughtworks.",
    "com.univocity.", "com.vividsolutions.", "com.yahoo.sketches.", "edu.stanford.nlp.",
    "gnu.trove.", "groovy.", "io.dropwizard.", "io.netty.", "it.unimi.dsi.", "jakarta.",
    "javassist.", "kotlin.", "net.jpountz.", "net.minidev.", "net.openhft.", "net.sf.json.",
    "no.uib.cipr.", "nu.xom.", "opennlp.", "org.antlr.", "org.aopalliance.", "org.apache.arrow.",
    "org.apache.avro.", "org.apache.commons.", "org.apache.curator.", "org.apache.datasketches.",
    "org.apache.htrace.", "org.apache.http.", "org.apache.kerby.", "org.apache.log4j.",
    "org.apache.logging.", "org.apache.lucene.", "org.apache.mahout.math.buffer.",
    "org.apache.mahout.math.function.", "org.apache.mahout.math.list.",
    "org.apache.mahout.math.map.", "org.apache.mahout.math.set.", "org.apache.orc.",
    "org.apache.parquet.", "org.apache.thrift.", "org.apache.tika.", "org.apache.velocity.",
    "org.apache.zookeeper.", "org.bouncycastle.", "org.checkerframework.", "org.cliffc.",
    "org.codehaus.", "org.dom4j.", "org.eclipse.collections.", "org.eclipse.jetty.", "org.ejml.",
    "org.geotools.", "org.glassfish.", "org.htmlparser.", "org.iq80.", "org.jboss.netty.",
    "org.jdom.", "org.jdom2.", "org.joda.time.", "org.json.", "org.jsoup.", "org.jvnet.",
    "org.la4j.", "org.locationtech.", "org.mozilla.javascript.", "org.objectweb.asm.",
    "org.objenesis.", "org.python.", "org.roaringbitmap.", "org.slf4j.", "org.spark_project.",
    "org.tartarus.", "org.tukaani.", "org.xerial.", "org.yaml.snakeyaml.", "scala.", "weka.",
)  # fmt: skip

# These run the user's mapper or reducer and are never it, even where the job names them.
_CARRIERS = (
    "org.apache.hadoop.mapred.MapRunner",
    "org.apache.hadoop.mapred.lib.Chain",
    "org.apache.hadoop.mapred.lib.DelegatingMapper",
    "org.apache.hadoop.mapred.lib.MultithreadedMapRunner",
    "org.apache.hadoop.mapreduce.Mapper",
    "org.apache.hadoop.mapreduce.Reducer",
    "org.apache.hadoop.mapreduce.lib.chain.",
    "org.apache.hadoop.mapreduce.lib.input.DelegatingMapper",
    "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper",
    "org.apache.hadoop.mapreduce.lib.map.WrappedMapper",
    "org.apache.hadoop.mapreduce.lib.reduce.WrappedReducer",
    "org.apache.hadoop.streaming.",
)


def outer_class(class_name: str) -> str:
    """The top-level class around a nested, anonymous or lambda class, without array brackets."""
    name = element_class(class_name)
    cut = name.find("$", 1)
    return name[:cut] if cut > 0 else name


def element_class(class_name: str) -> str:
    """``com.x.A`` for ``com.x.A[][]``."""
    cut = class_name.find("[")
    return class_name[:cut] if cut >= 0 else class_name


@dataclass(frozen=True, slots=True)
class UserClasses:
    """Tells user classes from all others.

    Attributes:
        task_classes: mapper, reducer, combiner and the like, as the job's configuration names
            them or as the dump shows them at work. They and their nested classes are the user's
            wherever they live, such as a reducer that comes with Hadoop or with a library.
    """

    task_classes: frozenset[str] = frozenset()
    _known: dict[str, ClassKind] = field(default_factory=dict, repr=False, compare=False)

    def with_tasks(self, names: frozenset[str]) -> UserClasses:
        """The same with more task classes."""
        return UserClasses(self.task_classes | names)

    def kind(self, class_name: str) -> ClassKind:
        """The kind of a class given in Java source form; arrays are neutral."""
        found = self._known.get(class_name)
        if found is None:
            found = self._known[class_name] = self._find(class_name)
        return found

    def is_user(self, class_name: str) -> bool:
        """Whether it is the user's."""
        return self.kind(class_name) == "user"

    def is_library(self, class_name: str) -> bool:
        """Whether it is a library's that is neither the JDK nor Hadoop."""
        return self.kind(class_name) == "neutral" and class_name.startswith(_LIBRARIES)

    def _find(self, name: str) -> ClassKind:
        if "[" in name or name in _PRIMITIVES:
            return "neutral"
        if name.startswith(_AGENT):
            return "agent"
        if name.startswith(_JDK):
            return "neutral"
        if not name.startswith(_CARRIERS):
            outer = outer_class(name)
            if any(outer == outer_class(task) for task in self.task_classes):
                return "user"
        if name.startswith(_NEUTRAL_HADOOP):
            return "neutral"
        if name.startswith(_FRAMEWORK):
            return "framework"
        if name.startswith(_LIBRARIES):
            return "neutral"
        return "user"


_PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
