"""``mprof cases``: reproducible failures, each with its expected causes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from mprof.cli.options import (
    CaptureOption,
    JsonFlag,
    MavenRepositoryOption,
    SettingOptions,
    parse_settings,
)
from mprof.cli.output import say, say_object, say_text
from mprof.errors import ExpectationError, UsageError

if TYPE_CHECKING:
    from mprof.catalogue import Case, CaseResult, Verification, Way

__all__ = ["app"]

app = typer.Typer(
    name="cases",
    help="Run and replay reproducible MapReduce jobs, and check the diagnosis of each.",
    no_args_is_help=True,
)

_MOST_TRIES = 1000

CasesFolder = Annotated[
    Path | None,
    typer.Option(
        "--cases", help="Folder of cases; default: cases here, else mprof's own.", metavar="DIR"
    ),
]
Slug = Annotated[
    str | None, typer.Argument(help="A case; mprof cases list shows them.", metavar="SLUG")
]
All = Annotated[bool, typer.Option("--all", help="All cases.")]
FirstRunFlag = Annotated[
    bool, typer.Option("--first-run", help="Leave out the rerun: diagnose from watch mode alone.")
]
KindOption = Annotated[
    str | None,
    typer.Option(
        "--kind", help="Only cases of this kind: case, coverage or control.", metavar="KIND"
    ),
]


@app.command("list")
def list_cases(kind: KindOption = None, cases: CasesFolder = None, json: JsonFlag = False) -> None:
    """List the cases and the causes expected for each."""
    found = _of_kind(_load(cases), kind)
    if json:
        say_object([_case_to_json(case) for case in found])
        return
    widest = max((len(case.slug) for case in found), default=0)
    for case in found:
        end = f"death {case.expected.kind}" if case.fails else "the job succeeds"
        expected = ", ".join(case.expected.causes) or f"no cause, {end}"
        say(f"{case.slug:{widest}} {case.phase:8} {expected}")


@app.command("run")
def run_cases(
    slug: Slug = None,
    every: All = False,
    kind: KindOption = None,
    fixed: Annotated[
        bool,
        typer.Option(
            "--fixed", help="Run the repaired job: it must succeed, and no cause be named."
        ),
    ] = False,
    first_run: FirstRunFlag = False,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the input; default: the case's own.")
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            "--scale", help="Run another scale of the case, such as paper.", metavar="NAME"
        ),
    ] = None,
    settings: SettingOptions = None,
    size_bytes: Annotated[
        int | None, typer.Option("--bytes", help="Bytes of input; default: the case's own.")
    ] = None,
    output: CaptureOption = None,
    discard: Annotated[
        bool,
        typer.Option(
            "--discard", help="Delete the captures of cases that are right; those of others stay."
        ),
    ] = False,
    kept: Annotated[
        Path | None,
        typer.Option(
            "--results",
            help="Add each result to this file, and skip cases that it already holds: an "
            "interrupted run continues where it stopped.",
            metavar="FILE",
        ),
    ] = None,
    cases: CasesFolder = None,
    maven_repository: MavenRepositoryOption = None,  # noqa: ARG001 - its callback sets it
    json: JsonFlag = False,
) -> None:
    """Run a case on the embedded cluster, rerun it with profiling, and compare the causes."""
    chosen = _of_kind(_choose(cases, slug, every=every), kind)
    if every and fixed:
        chosen = tuple(case for case in chosen if case.kind != "control")
    changed = parse_settings(settings or [])
    if fixed and first_run:
        raise UsageError(
            "the repaired job has no rerun to leave out", next_step="leave out --first-run"
        )
    chosen = _of_size(chosen, scale=scale, size_bytes=size_bytes, every=every)
    from mprof.catalogue import run_case
    from mprof.cli.series import Series
    from mprof.cli.terminal import TerminalObserver

    way: Way = "fixed" if fixed else "first run" if first_run else "run"
    results, faults = [], []
    series = Series(chosen, file=kept, way=way, seed=seed, settings=changed)
    for case in series.to_run():
        capture = _capture_folder(output, case.slug, several=len(chosen) > 1)
        with TerminalObserver() as observer:
            try:
                result = run_case(
                    case,
                    capture=capture,
                    seed=seed,
                    way=way,
                    settings=changed,
                    observer=observer,
                )
            except ExpectationError as error:
                series.failed(case, error.what)
                if len(chosen) == 1:
                    raise
                faults.append(error.what)
                _say_kept(error.what, capture, as_json=json)
                continue
        series.ended(case, result)
        results.append(result)
        if discard and result.judgement.correct:
            shutil.rmtree(capture)
        _print_result(result, as_json=json)
        if not result.judgement.correct:
            _say_kept(None, capture, as_json=json)
    faults += series.wrong_before()
    _finish(results, faults, as_json=json, as_list=every or not results)


@app.command("replay")
def replay_cases(
    slug: Slug = None,
    every: All = False,
    kind: KindOption = None,
    first_run: FirstRunFlag = False,
    cases: CasesFolder = None,
    json: JsonFlag = False,
) -> None:
    """Diagnose the recorded evidence of a case; Java is not needed."""
    chosen = _of_kind(_choose(cases, slug, every=every), kind)
    if every:
        chosen = tuple(case for case in chosen if case.is_recorded)
    from mprof.catalogue import replay_case

    results = []
    for case in chosen:
        result = replay_case(case, first_run=first_run)
        results.append(result)
        _print_result(result, as_json=json)
    _finish(results, [], as_json=json, as_list=every)


@app.command("verify")
def verify(
    slug: Slug = None,
    every: All = False,
    kind: KindOption = None,
    settings_only: Annotated[
        bool,
        typer.Option(
            "--settings-only", help="With --all, only cases for which a setting is advised."
        ),
    ] = False,
    intervene: Annotated[
        bool,
        typer.Option(
            "--intervene",
            help="If no setting is advised, run the job as it is and then without the record or "
            "group at death, or with a larger heap, instead of repaired.",
        ),
    ] = False,
    output: CaptureOption = None,
    discard: Annotated[
        bool,
        typer.Option("--discard", help="Delete the captures of jobs that finish; others stay."),
    ] = False,
    cases: CasesFolder = None,
    json: JsonFlag = False,
) -> None:
    """Run a case with the advised settings, or else repaired, and check that it succeeds.

    With --all, also print the share of the cases with advised settings that finish at the first
    try.
    """
    chosen = _of_kind(_choose(cases, slug, every=every), kind)
    from mprof.catalogue import has_settings, share_of, verify_case
    from mprof.cli.terminal import TerminalObserver

    if every:
        chosen = tuple(each for each in chosen if each.kind != "control" and each.is_recorded)
    if settings_only:
        chosen = tuple(each for each in chosen if has_settings(each))
    done = []
    for case in chosen:
        capture = _capture_folder(output, case.slug, several=len(chosen) > 1)
        with TerminalObserver() as observer:
            one = verify_case(case, capture=capture, intervene=intervene, observer=observer)
        done.append(one)
        if not json:
            _say_verified(one)
        _print_result(one.result, as_json=json)
        if discard and one.finished:
            shutil.rmtree(capture)
    share = share_of(done)
    if json:
        objects = [_verified_json(one) for one in done]
        say_object({"cases": objects, **share} if every else objects[0])
    elif every:
        say(
            f"{share['finished']} of {share['with_settings']} cases with advised settings finished "
            "at the first try"
        )
    wrong = [one for one in done if not one.finished]
    if wrong:
        names = "; ".join(f"{one.case} with the {one.tried}" for one in wrong)
        raise ExpectationError(
            f"did not succeed without a cause: {names}",
            next_step=f"see its report: mprof report {wrong[0].result.capture}",
        )


def _say_verified(done: Verification) -> None:
    from mprof.report.published import Advised
    from mprof.report.sentences import advised_sentences
    from mprof.units import format_bytes

    tried = "\n".join(f"  -D {key}={value}" for key, value in done.settings.items())
    say_text(f"{done.case}: tried the {done.tried}\n{tried}".rstrip())
    for name, size in (
        ("predicted peak", done.predicted_peak_bytes),
        ("most live bytes after a full collection", done.measured_peak_bytes),
    ):
        if size is not None:
            say(f"  {name}: {format_bytes(size)}")
    for sentence in advised_sentences(Advised.of(done.advised)):
        say(f"  {sentence}")


def _verified_json(done: Verification) -> dict[str, Any]:
    from mprof.report.json_text import members
    from mprof.report.published import Advised

    return {
        **members(done, "case", "tried", "settings"),
        **members(done, "predicted_peak_bytes", "measured_peak_bytes", "finished"),
        "advised": Advised.of(done.advised),
        "problems": done.result.judgement.problems,
        "seconds": dict(done.result.seconds),
        "capture": str(done.result.capture),
    }


def _load(folder: Path | None) -> tuple[Case, ...]:
    from mprof.catalogue import cases_root, load_cases

    return load_cases(cases_root(folder))


def _choose(folder: Path | None, slug: str | None, *, every: bool) -> tuple[Case, ...]:
    from mprof.catalogue import cases_root, find_case

    if every == (slug is not None):
        raise UsageError(
            "give one case, or --all", next_step="list the cases with: mprof cases list"
        )
    return _load(folder) if slug is None else (find_case(cases_root(folder), slug),)


def _of_kind(cases: tuple[Case, ...], kind: str | None) -> tuple[Case, ...]:
    from mprof.catalogue import Kind

    kinds = get_args(Kind)
    if kind is not None and kind not in kinds:
        raise UsageError(f"there is no kind {kind!r}", next_step=f"use one of: {', '.join(kinds)}")
    return tuple(case for case in cases if kind in (None, case.kind))


def _of_size(
    cases: tuple[Case, ...], *, scale: str | None, size_bytes: int | None, every: bool
) -> tuple[Case, ...]:
    from mprof.catalogue import at_scale, with_input

    if size_bytes is not None:
        if every or scale is not None:
            raise UsageError(
                "--bytes needs one case, in its own scale",
                next_step="leave out --all and --scale",
            )
        return tuple(with_input(case, size_bytes=size_bytes) for case in cases)
    if scale is None:
        return cases
    # With --all, the cases that have the scale; a case that is named must have it.
    having = tuple(case for case in cases if not every or scale in case.scale)
    if not having:
        raise UsageError(
            f"no case has a scale {scale!r}",
            next_step="list the scales with: mprof cases list --json",
        )
    return tuple(at_scale(case, scale) for case in having)


def _capture_folder(output: Path | None, slug: str, *, several: bool) -> Path:
    if output is None:
        return Path(time.strftime(f"mprof-case-{slug}-%Y%m%d-%H%M%S"))
    if not several:
        return output
    # An interrupted run may have left a part of a capture: it stays as it is.
    names = (slug, *(f"{slug}-{n}" for n in range(2, _MOST_TRIES)))
    return next((output / name for name in names if not (output / name).exists()), output / slug)


def _case_to_json(case: Case) -> dict[str, Any]:
    paper = case.paper
    return {
        "case": case.slug,
        "kind": case.kind,
        "title": case.title,
        "phase": case.phase,
        "symptom": case.symptom,
        "library": case.library,
        "variant": case.variant,
        "expected": case.expected.causes,
        "death": case.expected.kind,
        "paper": None
        if paper is None
        else {"job": paper.job, "rules": paper.rules, "causes": paper.causes},
        "scales": sorted(case.scale),
        "recorded": case.is_recorded,
    }


def _print_result(result: CaseResult, *, as_json: bool) -> None:
    """Print one line per case, followed by what is wrong or not yet known; on stderr with JSON."""
    right = "rerun" if result.needs_rerun else "WRONG"
    verdict = "right" if result.judgement.correct else right
    seconds = sum(result.seconds.values())
    causes = ", ".join(result.judgement.found) or "no cause"
    say(f"{verdict}  {result.case} ({result.way}, {seconds:.0f} s): {causes}", on_stderr=as_json)
    for problem in result.judgement.problems:
        say(f"       {problem}", on_stderr=as_json)


def _say_kept(fault: str | None, capture: Path, *, as_json: bool) -> None:
    """Say where the capture of a case that went wrong is: it stays, with --discard too."""
    if fault is not None:
        say(f"WRONG  {fault}", on_stderr=as_json)
    say(f"       capture  {capture}", on_stderr=as_json)


def _finish(
    results: Sequence[CaseResult], faults: Sequence[str], *, as_json: bool, as_list: bool
) -> None:
    if as_json:
        objects = [result.to_json() for result in results]
        say_object(objects if as_list else objects[0])
    wrong = [one for one in results if not (one.judgement.correct or one.needs_rerun)]
    if wrong or faults:
        names = ", ".join([*(result.case for result in wrong), *faults])
        raise ExpectationError(f"not as expected: {names}", next_step=_next_step(wrong, faults))


def _next_step(wrong: Sequence[CaseResult], faults: Sequence[str]) -> str:
    if not faults and all(one.judgement.lacks_new_verdicts_only for one in wrong):
        return "in a checkout: python -m development accept"
    return "see the lines above, and the captures"
