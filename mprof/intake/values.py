"""How names and values of settings are written, and what Hadoop reads of a value."""

from __future__ import annotations

import re
from typing import Final

from mprof.intake.sides import XMX

__all__ = [
    "ENGINES", "HEAP_OPTION", "NAME", "OPTION", "OPTIONS", "PLAIN", "QUOTE", "VALUE", "WHOLE",
    "as_hadoop_reads",
]  # fmt: skip

ENGINES: Final = (
    r"(?:mapred(?:uce)?|yarn|hive|tez|spark|hbase|pig|orc|parquet|io\.sort|oozie\.launcher)"
)
NAME: Final = (
    rf"{ENGINES}\.(?:[\w-]+\.){{0,8}}?(?:[\w-]*(?:[mM]emory|[hH]eap|[oO]verhead|[fF]raction|"
    r"percent|percentmemory|opts|[oO]ptions|reduces|tasks|ratio|size|Size|[fF]actor|cores|enabled?|"
    r"aggr|join|partitions?|caching|maximum|InFlight|threads|timeout|Threshold|FetchToMem)|"
    r"mb|mem|memory-mb|"
    r"(?:maximum|minimum)-allocation-mb|threshold)"
)
WHOLE: Final = rf"(?:(?<=-D)|(?<![\w.\-/])){NAME}(?![\w-]|\.\w)"
# of a JVM; -D of a property that is named here is the next option of a command
OPTION: Final = rf"-(?:(?:X|D(?!{ENGINES}\.))[\w:+\-=./%@,]+|server\b|client\b|verbose:gc|ea\b)"
OPTIONS: Final = rf"{OPTION}(?:\s+{OPTION})*"
_DURATION: Final = (
    r"\d+(?:\.\d+)?[ ]?(?:ms|milliseconds?|s|secs?|seconds?|min|mins|minutes?|h|hours?)\b"
)
PLAIN: Final = rf"{_DURATION}|-?\d+(?:\.\d+)?[ ]?(?:[kKmMgGtT]i?[bB]?\b)?|true\b|false\b"
VALUE: Final = rf"(?P<value>{OPTIONS}|{PLAIN})"
HEAP_OPTION: Final = r"-Xmx(?:\d{1,6}[kKmMgG]|\d{7,12})"  # Cloudera Manager gives it in bytes
QUOTE: Final = r"[\"'`\u201c\u201d\u2018\u2019*]{0,3}"
_UNITS_OF_MB: Final = {"": 1, "m": 1, "g": 1024, "t": 1 << 20}
_SIZE_OF_MB: Final = re.compile(r"(\d{1,9})(?:\.0)? ?([kmgt]?)i?b?", re.IGNORECASE)


def as_hadoop_reads(name: str, value: str) -> str | None:
    """The value as the property takes it; None where it takes no such value."""
    value = " ".join(value.split())
    if name == XMX:
        return value
    wants_options = re.search(r"(?i)opts$|options$", name) is not None
    if wants_options != (re.match(OPTION, value) is not None):
        return None
    if re.search(r"-Xm[xsn](?:\s|$)", value):
        return None  # its size stands behind a space, and no JVM reads it
    if name.endswith("timeout") and name.startswith("mapred"):
        return _in_millis(value)
    if not re.search(r"[.-]mb$", name):
        return value.rstrip(",.:") if wants_options else value.replace(" ", "")
    size = _SIZE_OF_MB.fullmatch(value)
    factor = _UNITS_OF_MB.get(size[2].lower()) if size is not None else None
    return None if size is None or factor is None else str(int(size[1]) * factor)


_A_TIME: Final = re.compile(r"(\d{1,12}(?:\.\d{1,3})?) ?([a-z]*)", re.IGNORECASE)
_MILLIS: Final = {"": 1, "m": 1, "s": 1000, "h": 3_600_000}


def _in_millis(value: str) -> str | None:
    """A time as people write it, in milliseconds, in which Hadoop takes it; None of none."""
    time = _A_TIME.fullmatch(value)
    if time is None:
        return None
    unit = time[2].lower()
    factor = 60_000 if unit.startswith("min") else _MILLIS.get(unit[:1])
    return None if factor is None else str(round(float(time[1]) * factor))
