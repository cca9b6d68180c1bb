"""The generated pages about the cases: ``cases/README.md`` and ``docs/reference/cases.md``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from mprof.catalogue import Case, Kind, Result, Way, fingerprint, read_results
from mprof.catalogue.case import setting_texts

__all__ = ["RESULTS", "bounds_set", "catalogue_table", "latest", "write_pages"]

RESULTS: Final = "results.jsonl"
"""Name of the file, in the folder of cases, with the runs that the pages show."""

_INTRODUCTION = """\
# {title}

Made by `make docs`; do not edit.

Each case is a MapReduce job on stock Hadoop, with generated input.
The jobs of the paper run out of memory.
So do those in `coverage/`, in ways that no job of the paper does; of some none of the causes is
true, and then the report must begin with the holder that fills the heap.
Those in `controls/` are healthy or fail for another reason: no cause may be named.
`mprof cases run SLUG` runs and reruns it on the embedded cluster, and compares the causes.
With `--fixed` it runs the repaired job, which must succeed without a cause.
`-D KEY=VALUE` and `--bytes N` override the settings and the input size of `case.toml`.
With `--scale paper` it runs at the scale of the paper's evaluation, if `case.toml` has one.
`mprof cases run --all --results cases/results.jsonl` runs what has no result in that file yet, and
adds to it; these pages show it.
`mprof cases replay SLUG` diagnoses the recorded evidence without Java.
`mprof cases verify SLUG` runs it with the advised settings, or else repaired;
`mprof cases verify --all` does all, and says how many of those with advised settings finished at
the first try (`--settings-only` leaves the repairs out; `--intervene` runs, in their place, the job
without the record or group at death, or with a larger heap).

A case is a folder:

| file | holds |
|---|---|
| `README.md` | what the job does, why it dies, what fixes it, where it comes from |
| `case.toml` | how it is run, and the expected causes, death, frames and code to blame |
| `job/` | the user code: Java, or a script |
| `data.py` | generates the input: `generate(folder, seed=, size_bytes=)`; a seed fixes every byte |
| `fixed/` | the files that the repair changes; the settings it changes are in `case.toml` |
| `evidence/` | a recorded capture, without heap dumps (`python -m development record SLUG`) |
| `expected/verdicts.json` | the expected verdict of every rule on that evidence |

A library is resolved by Maven once into the cache; its folder is in `libraries/`.
Where a case of the paper needs its library, the folder `plain/` in it may hold the same failure in
plain MapReduce, as a case of its own.
"""


_SECTIONS: tuple[tuple[Kind, str], ...] = (
    ("case", "The cases of the paper"),
    ("coverage", "Coverage: what no job of the paper does"),
    ("control", "Controls: no cause may be named"),
)
_SETTINGS = "What each case sets"
_ABOUT_SETTINGS = """\
A job of a hundred megabytes must die as one of many gigabytes does, so heaps and buffers are small.
Where a bound of Hadoop, Pig, Hive or the JVM would save the job at that size, or end it elsewhere,
the case sets that bound.
All of it is here, made from `case.toml`: the JVM options of the task that dies, the bounds, and
what else is set but container sizes, attempts and backup attempts.
Reducers of a Pig script stand in it (`PARALLEL`).
"""
_BOUNDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("when bags of Pig spill", ("pig.cachedbag.", "pig.spill.")),
    ("whether Hadoop sorts for Pig", ("pig.exec.nosecondarykey",)),
    ("when Hive empties its hash table", ("hive.map.aggr",)),
    ("when rows of Hive spill", ("hive.join.cache.size",)),
    ("which tables mappers of Hive hold", ("hive.auto.convert.join", "hive.mapjoin.")),
    (
        "when map output spills or is combined",
        ("mapreduce.map.sort.spill.percent", "mapreduce.map.combine.minspills"),
    ),
    (
        "when fetched map output goes to disk",
        (
            "mapreduce.reduce.shuffle.input.buffer.percent",
            "mapreduce.reduce.shuffle.merge.percent",
            "mapreduce.reduce.input.buffer.percent",
        ),
    ),
)
_OF_THE_RUN = (".memory.mb", ".java.opts", ".maxattempts", ".speculative")
_CODE_UNKNOWN = "User code that the paper could not name"
_PLAIN_VARIANTS = "Plain variants beside the cases of libraries"


def catalogue_table(cases: Sequence[Case], *, link: str) -> str:
    """The tables of all cases, one per kind, each below its heading.

    Args:
        cases: in the order of their rows.
        link: path from the page to the folder of cases, with a slash at the end, or empty.
    """
    parts = []
    for kind, title in _SECTIONS:
        chosen = [case for case in cases if case.kind == kind and not case.is_plain_variant]
        table = _controls if kind == "control" else _cases
        if chosen:
            parts.append(f"## {title}\n\n{table(chosen, link)}")
    unknown = [case for case in cases if case.paper is not None and case.paper.code_unknown]
    if unknown:
        parts.append(f"## {_CODE_UNKNOWN}\n\n{_code_beside(unknown, link)}")
    variants = [case for case in cases if case.is_plain_variant]
    if variants:
        parts.append(f"## {_PLAIN_VARIANTS}\n\n{_cases(variants, link)}")
    dying = [case for case in cases if case.kind != "control"]
    if dying:
        parts.append(f"## {_SETTINGS}\n\n{_ABOUT_SETTINGS}\n{_settings(dying, link)}")
    return "\n".join(parts)


def _controls(cases: Sequence[Case], link: str) -> str:
    lines = [
        "| control | what it does | expected end | causes named on recorded evidence |",
        "|---|---|---|---|",
    ]
    for case in cases:
        row = [
            f"[{case.slug}]({link}{case.relative_path}/README.md)",
            case.title,
            f"fails, `{case.expected.kind}`" if case.fails else "succeeds",
            "none" if case.verdicts.is_file() else "not recorded yet",
        ]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _cases(cases: Sequence[Case], link: str) -> str:
    titles = (
        "case", "phase", "symptom", "expected causes", "found on recorded evidence", "latest runs",
        "in the paper",
    )  # fmt: skip
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    runs = latest(read_results(cases[0].root / RESULTS))
    for case in cases:
        paper = "not in the paper"
        if case.paper is not None:
            paper = f"{_causes(case.paper.causes)} (rules {', '.join(case.paper.rules)})"
            if case.paper.difference:
                paper += f"; {case.paper.difference}"
        row = [
            f"[{case.slug}]({link}{case.relative_path}/README.md)",
            case.phase,
            case.symptom,
            _causes(case.expected.causes),
            _found(case),
            _latest_runs(case, runs.get(case.slug, ())),
            paper,
        ]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _code_beside(cases: Sequence[Case], link: str) -> str:
    """What mprof must blame where the paper names no code; a replay compares it."""
    lines = ["| case | in the paper | statement or clause | class |", "|---|---|---|---|"]
    for case in cases:
        holder, paper = case.expected.holder, case.paper
        row = [
            f"[{case.slug}]({link}{case.relative_path}/README.md)",
            f"{paper.job}: not identified" if paper is not None else "",
            f"`{holder.statement}`" if holder is not None and holder.statement else "",
            f"`{holder.class_name}`" if holder is not None else "",
        ]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def bounds_set(case: Case) -> dict[str, tuple[str, ...]]:
    """The settings of a case that set a bound of Hadoop, Pig or Hive, by what each bounds."""
    found = {
        bound: tuple(key for key in case.job.settings if key.startswith(starts))
        for bound, starts in _BOUNDS
    }
    return {bound: keys for bound, keys in found.items() if keys}


def _settings(cases: Sequence[Case], link: str) -> str:
    lines = ["| case | JVM options | bounds set | what else is set |", "|---|---|---|---|"]
    for case in cases:
        settings = case.job.settings
        side = "map" if case.phase == "map" else "reduce"
        bounds = bounds_set(case)
        told = {key for keys in bounds.values() for key in keys}
        rest = [key for key in settings if key not in told and not key.endswith(_OF_THE_RUN)]
        row = [
            f"[{case.slug}]({link}{case.relative_path}/README.md)",
            f"`{settings.get(f'mapreduce.{side}.java.opts', '')}`",
            "; ".join(f"{bound}: {_told(case, keys)}" for bound, keys in bounds.items()) or "none",
            _told(case, rest) or "nothing",
        ]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _told(case: Case, keys: Sequence[str]) -> str:
    chosen = setting_texts({key: case.job.settings[key] for key in keys})
    return ", ".join(f"`{text}`" for text in chosen)


def write_pages(cases: Sequence[Case], *, root: Path, reference: Path) -> None:
    """Write both pages.

    Args:
        cases: all cases.
        root: the folder of cases.
        reference: the folder of the reference pages; ``cases`` is at ``../../cases`` from there.
    """
    pages = (
        (root / "README.md", "Cases", ""),
        (reference / "cases.md", "Cases that mprof is tested with", "../../cases/"),
    )
    for path, title, link in pages:
        head = _INTRODUCTION.format(title=title)
        path.write_text(f"{head}\n{catalogue_table(cases, link=link)}", encoding="utf-8")


def _found(case: Case) -> str:
    """Causes whose rule fires on the recorded evidence, according to ``expected/``."""
    if not case.verdicts.is_file():
        return "not recorded yet"
    verdicts = msgspec.json.decode(case.verdicts.read_bytes(), type=dict[str, str])
    return _causes([cause for cause, verdict in verdicts.items() if verdict == "fires"])


def _latest_runs(case: Case, results: Sequence[Result]) -> str:
    """``right with seeds 1, 2 (2026-11-23)``; a run of what the case was before does not count."""
    told = []
    for correct, word in ((True, "right"), (False, "wrong")):
        chosen = [
            one
            for one in results
            if one.correct == correct
            and one.fingerprint == fingerprint(case, seed=one.seed, way=one.way, settings={})
        ]
        if chosen:
            seeds = ", ".join(str(one.seed) for one in chosen)
            many = "seeds" if len(chosen) > 1 else "seed"
            told.append(f"{word} with {many} {seeds} ({max(one.day for one in chosen)})")
    return "; ".join(told) or "none since its last change"


def latest(results: Iterable[Result], way: Way = "run") -> dict[str, Sequence[Result]]:
    """The latest result of each seed, by case, in the order of the seeds."""
    found: dict[tuple[str, int], Result] = {}
    for one in results:
        if one.way == way:
            found[one.case, one.seed] = one
    by_case: dict[str, list[Result]] = {}
    for (case, _), one in sorted(found.items()):
        by_case.setdefault(case, []).append(one)
    return dict(by_case)


def _causes(causes: Sequence[str]) -> str:
    return ", ".join(f"`{cause}`" for cause in causes) or "none"
