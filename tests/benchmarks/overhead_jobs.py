"""Jobs that succeed, and their input.

A word count with a combiner, a sort, a join, and one that keeps its input in memory.
"""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from typing import Final

import numpy as np

from mprof.catalogue.build import HADOOP_VERSION
from mprof.hadoop.artifacts import class_path
from mprof.hadoop.java import java_home

__all__ = ["JOBS", "job_jar", "job_lines"]

JOBS: Final = {"wordcount": "WordCount", "sort": "Sort", "join": "Join", "keep": "Keep"}
_SOURCES: Final = Path(__file__).with_name("java") / "jobs"
_WORDS: Final = 50_000
_ZIPF: Final = 1.3
_BATCH: Final = 100_000


def job_jar(folder: Path) -> Path:
    """A jar with the jobs, compiled into ``folder``."""
    classes, jar = folder / "classes", folder / "jobs.jar"
    classes.mkdir(parents=True)
    libraries = f"{class_path(HADOOP_VERSION, lambda _: None).lib}/*"
    command = [java_home() / "bin" / "javac", "--release", "8", "-Xlint:-options", "-proc:none"]
    command += ["-cp", libraries, "-d", classes, *sorted(_SOURCES.glob("*.java"))]
    subprocess.run([str(word) for word in command], check=True)
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(classes.glob("*.class")):
            out.write(file, file.name)
    return jar


def job_lines(job: str, file: Path, *, megabytes: int, seed: int = 1) -> None:
    """Write at least so many megabytes (10^6 bytes) of input for a job.

    Word count: ten words a line, by Zipf's law (exponent 1.3) out of 50,000. Sort and keep: random
    lines of 50 characters. Join: rows of 40 characters under as many keys as make five rows of
    either relation a key.
    """
    random = np.random.default_rng(seed)
    size, most = 0, megabytes * 1_000_000
    with file.open("w", encoding="ascii") as out:
        while size < most:
            text = _batch(job, random, most)
            out.write(text)
            size += len(text)


def _batch(job: str, random: np.random.Generator, most: int) -> str:
    if job == "wordcount":
        shares = 1 / np.arange(1, _WORDS + 1) ** _ZIPF
        drawn = random.choice(_WORDS, size=(_BATCH // 10, 10), p=shares / shares.sum())
        return "".join(" ".join(f"w{one * 7919 % 999983}" for one in row) + "\n" for row in drawn)
    text = "".join(chr(code) for code in random.integers(97, 123, size=50 * _BATCH))
    rows = [text[at : at + 50] for at in range(0, len(text), 50)]
    if job in {"sort", "keep"}:
        return "\n".join(rows) + "\n"
    keys = random.integers(0, max(1, most // (50 * 10)), size=len(rows))
    return "".join(
        f"{'AB'[number % 2]}\tk{key}\t{row[:40]}\n"
        for number, (key, row) in enumerate(zip(keys, rows, strict=True))
    )
