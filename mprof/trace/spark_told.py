"""What a text says of a program of Spark beside its settings: its version, language and mode.

The names of settings are of versions (``spark.yarn.executor.memoryOverhead`` up to 2.2), and what
lies beside a heap depends on the language: PySpark runs processes of Python there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["SparkTold", "spark_told_in"]


@dataclass(frozen=True, slots=True)
class SparkTold:
    """What a text says of it.

    Attributes:
        version: major and minor, where it names a single one.
        is_least: whether it may be newer than that, which its own words alone tell.
        is_python: whether the program is one of PySpark.
        takes_groups: the function of PySpark that hands all rows of a group to Python at once; ""
            without.
        mode: where the driver runs, where it names a single one.
        application: of a cluster of Spark's own, without YARN, that it names; "" of none.
        is_log_of_executor: whether it has the log of one executor, and none of a driver.
    """

    version: tuple[int, int] | None = None
    is_least: bool = False
    is_python: bool = False
    takes_groups: str = ""
    mode: Literal["client", "cluster"] | None = None
    application: str = ""
    is_log_of_executor: bool = False

    def is_before(self, major: int, minor: int) -> bool | None:
        """Whether it is older than a version; None where the text does not say."""
        if self.version is None or (self.is_least and self.version < (major, minor)):
            return None
        return self.version < (major, minor)


_VERSION: Final = re.compile(
    r"(?i)\b(?:py)?spark(?:[ _-]?(?:core|sql|submit))?[ _-]?(?:\(?version:?|v)? ?(?:_2\.1[0-3]-)?"
    r"(?P<major>[1-4])\.(?P<minor>\d{1,2})\b(?![ \d]?[gmkt]b)"
)
# beside another version than that which failed
_OTHER: Final = re.compile(
    r"(?i)\b(?:works?|worked|fine|upgrad\w+|migrat\w+|since|until|before|after|newer|older|planned|"
    r"planning|want|switch\w*|downgrad\w+|tried|in contrast)\b"
)
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n")
_SINCE: Final = (
    (  # Utils.bytesToString has binary units
        re.compile(
            r"\bMemoryStore started with capacity \d{1,9}\.\d [KMGT]iB|"
            r"\bspark\.driver\.maxResultSize:? \(?[\d.]+ [KMGT]iB"
        ),
        (3, 0),
    ),
    # YarnAllocator names the setting that its version reads
    (re.compile(r"\bConsider boosting spark\.executor\.memoryOverhead\b"), (2, 3)),
)
"""Words of Spark itself, and the version that has them first."""
_PYTHON: Final = re.compile(
    r"(?i:\bpyspark\b|\bspark[ -]?python\b|\bpandas[ _]udfs?\b)|\bapplyInPandas\b|"
    r"\bspark-submit\b[^\n]{0,400}\s\S{1,80}\.py\b|"
    r"\borg\.apache\.spark\.api\.python\.|\bPythonRunner\b|\bmapInPandas\b|"
    r"\bfrom pyspark\b|\btoPandas\(\)"
)
_NO_PYTHON: Final = re.compile(
    r"(?i)\b(?:no|not|without|isn't|never) (?:\w+ )?(?:pyspark|python)\b"
)
_GROUPS: Final = re.compile(r"\bapplyInPandas\b|\bGROUPED_MAP\b")
_MODES: Final = re.compile(
    r"--deploy-mode[ =](?P<option>client|cluster)\b|"
    r"--master[ =]yarn-(?P<old>client|cluster)\b|"
    r"\bspark\.submit\.deployMode[ =:]+(?P<setting>client|cluster)\b|"
    r"\b(?:yarn[ -])?(?P<words>client|cluster)[ -](?:deploy[ -])?mode\b"
)
# Executor, of one that is none of a driver in local mode; SparkContext, SparkSubmit
_STARTS: Final = re.compile(r"\bStarting executor ID (?!driver\b)\S{1,40} on host\b")
_OF_A_DRIVER: Final = re.compile(r"\bRunning Spark version\b|\bINFO (?:spark\.)?SparkContext: ")
_OF_CLASSES: Final = (
    (re.compile(r"\borg\.apache\.spark\.deploy\.yarn\.ExecutorLauncher\b"), "client"),
    (
        re.compile(r"\borg\.apache\.spark\.deploy\.yarn\.ApplicationMaster\b[^\n]* --class "),
        "cluster",
    ),
)


# org.apache.spark.deploy.master.Master.newApplicationId
_APPLICATION: Final = re.compile(r"\bapp-\d{14}-\d{4,9}\b")


def spark_told_in(text: str) -> SparkTold:
    """What a text says of the program of Spark that it is about.

    >>> told = spark_told_in("PySpark 2.4 on YARN, spark-submit --deploy-mode cluster job.py")
    >>> told.version, told.is_python, told.mode
    ((2, 4), True, 'cluster')
    >>> spark_told_in("On Spark 3.2 it works. With Spark 2.1 it fails.").version is None
    True
    """
    if "park" not in text and "app-" not in text:
        return SparkTold()
    groups = _GROUPS.search(text)
    version = _version(text)
    least = None if version else next((one for words, one in _SINCE if words.search(text)), None)
    return SparkTold(
        version=version or least,
        is_least=least is not None,
        is_python=_PYTHON.search(text) is not None and _NO_PYTHON.search(text) is None,
        takes_groups=groups[0] if groups is not None else "",
        mode=_mode(text),
        application=found[0] if (found := _APPLICATION.search(text)) is not None else "",
        is_log_of_executor=len(_STARTS.findall(text)) == 1 and _OF_A_DRIVER.search(text) is None,
    )


def _version(text: str) -> tuple[int, int] | None:
    named: set[tuple[int, int]] = set()
    for sentence in _SENTENCES.split(text):
        found = {(int(one["major"]), int(one["minor"])) for one in _VERSION.finditer(sentence)}
        if found and _OTHER.search(sentence):
            return None
        named |= found
    return named.pop() if len(named) == 1 else None


def _mode(text: str) -> Literal["client", "cluster"] | None:
    """By the class that YARN started, else by the words of the command or the text."""
    by_class = {mode for words, mode in _OF_CLASSES if words.search(text)}
    modes = by_class or {
        one["option"] or one["old"] or one["setting"] or one["words"]
        for one in _MODES.finditer(text)
    }
    if len(modes) != 1:
        return None
    return "client" if modes == {"client"} else "cluster"
