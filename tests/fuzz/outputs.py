"""Tries whose evidence is whole: damaged arguments, and outputs that take nothing."""

from __future__ import annotations

from collections.abc import Iterator

from builders.command_server import Job
from fuzz.damages import EVIL
from fuzz.trying import Try

__all__ = ["argument_tries", "output_tries"]

_WORDS = {  # no NUL: no process can be started with one
    "empty": "",
    "a dash": "-",
    "two dashes": "--",
    "long": "x" * 100_000,
    "long path": "x/" * 5_000,
    "long name": "x" * 300,
    "controls": EVIL,
    "a line break": "job_1\nmprof: done",
    "not UTF-8": "\udcff\udcfe",
    "a folder": ".",
    "root": "/",
    "a device": "/dev/zero",
    "long job id": f"job_{'1' * 5000}_{'2' * 5000}",
    "job id of huge numbers": f"job_{10**400}_0001",
    "attempt id of huge numbers": f"attempt_{10**30}_{10**30}_m_{10**30}_{10**30}",
    "a job that is unknown": "job_1_0001",
    "huge": str(10**400),
    "more digits than Python reads": "9" * 5000,
    "negative": "-1",
    "other digits": "\u0663\u00b2",
    "NaN": "nan",
    "infinity": "inf",
    "a pattern": "[a-",
    "markup": "[bold red]x[/]",
    "a format": "{0} %s %n",
    "parent": "../" * 200,
}

_PLACES: tuple[tuple[str, ...], ...] = (
    ("{}",),
    ("diagnose", "{}"),
    ("diagnose", "{}", "--json"),
    ("diagnose", "job_1_0001", "--config", "{}"),
    ("diagnose", "x", "--fail-on", "{}"),
    ("report", "{}"),
    ("report", "{}", "--html", "x.html"),
    ("rerun", "{}", "--", "hadoop", "jar", "x.jar"),
    ("rerun", "x", "--probes", "{}", "--", "hadoop"),
    ("rerun", "job_1_0001", "-o", "{}", "--", "hadoop"),
    ("run", "-o", "{}", "--", "hadoop", "jar", "x.jar"),
    ("run", "--config", "{}", "-o", "made", "--", "hadoop"),
    ("heap", "{}"),
    ("heap", "{}", "--json", "--histogram"),
    ("heap", "x", "--top", "{}"),
    ("heap", "x", "{}"),
    ("explain", "{}"),
    ("clean", "{}"),
    ("clean", "{}", "--dry-run"),
    ("doctor", "--config", "{}"),
    ("cases", "{}"),
    ("cases", "list", "--kind", "{}"),
    ("cases", "list", "--cases", "{}"),
    ("cases", "replay", "{}"),
    ("cases", "replay", "{}", "--cases", "."),
    ("cases", "run", "{}"),
    ("cases", "run", "x", "--seed", "{}"),
    ("cases", "run", "x", "--bytes", "{}"),
    ("cases", "run", "x", "--scale", "{}"),
    ("cases", "run", "x", "-D", "{}"),
    ("cases", "verify", "{}"),
    ("cases", "sweep", "{}"),
    ("cluster", "{}"),
    ("docs", "{}"),
)
"""Where a word of the user's goes; none of these reaches a cluster, whatever the word."""


_WHOLE: dict[tuple[str, ...], tuple[str, ...]] = {
    ("clean", "{}"): ("empty", "two dashes"),
    ("cases", "sweep", "{}"): ("two dashes",),
}
"""Commands that with such a word do all of their work: delete the caches, judge every case."""


def argument_tries() -> Iterator[Try]:
    """Every damaged word in every place of a command line."""
    for name, word in _WORDS.items():
        for place in _PLACES:
            if name in _WHOLE.get(place, ()):
                continue
            words = tuple(word if each == "{}" else each for each in place)
            job = Job(words=(), folder="", scratch="", stdout="file")
            yield Try("empty", words, None, f"argument: {name}", job, 0)


_PRINTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("empty", ("--version",)),
    ("empty", ("--help",)),
    ("empty", ("heap", "--help")),
    ("empty", ("explain",)),
    ("empty", ("explain", "4")),
    ("empty", ("doctor", "--embedded")),
    ("dump", ("heap", "a.hprof")),
    ("dump", ("heap", "a.hprof", "--json")),
    ("dump", ("heap", "a.hprof", "--histogram")),
    ("dump", ("heap", "a.hprof", "--histogram", "--json")),
    ("dump", ("diagnose", "a.hprof")),
    ("history", ("diagnose", "json.jhist", "--json")),
    ("logs", ("diagnose", "logs")),
    ("capture", ("diagnose", "capture")),
    ("capture", ("diagnose", "capture", "--json")),
    ("capture", ("report", "capture")),
    ("capture", ("report", "capture", "--html", "out.html")),
    ("capture", ("clean", "capture", "--dry-run")),
    ("cases", ("cases", "list", "--cases", "cases", "--json")),
    ("cases", ("cases", "replay", "--all", "--cases", "cases")),
    ("cases", ("cases", "replay", "--all", "--cases", "cases", "--json")),
    ("empty", ("cases", "list", "--help")),
)

_HTML = ("report", "capture", "--html")
_TARGETS = {
    "a folder": ("capture", "--force"),
    "a folder, not forced": ("capture",),
    "below a file": ("capture/capture.json/x.html",),
    "in a folder that is not there": ("nowhere/x.html",),
    "a full device": ("/dev/full", "--force"),
    "a pipe that nobody reads": ("pipe", "--force"),
    "links in a circle": ("circle", "--force"),
    "a dangling link": ("dangling",),
    "a dangling link, forced": ("dangling", "--force"),
    "a long name": ("x" * 300,),
    "a name of the longest": ("x" * 250 + ".html",),
    "controls": (EVIL.replace("/", ""),),
    "not UTF-8": ("\udcff\udcfe.html",),
    "nothing": ("",),
    "an input": ("capture/capture.json",),
}


def output_tries() -> Iterator[Try]:
    """Every verb that prints on outputs that take nothing, and reports where none can be."""
    for stdout in ("full", "closed pipe", "closed"):
        for unbuffered in (False, True):
            for world, words in _PRINTS:
                job = Job(words=(), folder="", scratch="", stdout=stdout, unbuffered=unbuffered)
                yield Try(world, words, None, f"output, unbuffered: {unbuffered}", job, 0)
    for name, target in _TARGETS.items():
        job = Job(words=(), folder="", scratch="")
        yield Try("outputs", (*_HTML, *target), None, f"report to {name}", job, 0)
    for encoding in ("ascii", "latin-1"):
        for world, words in _PRINTS:
            job = Job(words=(), folder="", scratch="", encoding=encoding)
            yield Try(world, words, None, f"output in {encoding}", job, 0)
    for world, words in (
        ("dump", ("heap", "b.hprof.gz")),
        ("dump", ("heap", "c.hprof.gz", "--json")),
        ("dump", ("heap", "d.hprof")),
        ("dump", ("diagnose", "b.hprof.gz")),
        ("capture", ("diagnose", "capture", "--json")),
        ("capture", ("report", "capture", "--html", "out.html")),
        ("conf", ("doctor", "--config", "conf")),
    ):
        job = Job(words=(), folder="", scratch="", full_temporary=True)
        yield Try(world, words, None, "full temporary folder", job, 0)
        job = Job(words=(), folder="", scratch="", full_folder=True)
        yield Try(world, words, None, "full disk under the evidence", job, 0)
