"""The end of a subcommand: print the report or the JSON object, then exit with a code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from mprof.cli.options import Confidence
from mprof.cli.output import say, say_json, say_text
from mprof.cli.stored import keep_report
from mprof.errors import ClusterError, UsageError
from mprof.exit_code import end_in_words
from mprof.report import render_json, render_text

if TYPE_CHECKING:
    from mprof.diagnosis import Diagnosed
    from mprof.runs import Capture, RunResult

__all__ = ["check_confidence", "exit_if_sure", "finish", "print_diagnosis", "show"]

FINDING_EXIT_CODE = 1
DIAGNOSED_EXIT_CODE = 5


def finish(result: RunResult, *, as_json: bool, fail_on: Confidence | None) -> None:
    """Print the diagnosis of a run, save its report in the capture, and exit with the code.

    What the job came to is the exit code also where the report cannot be saved: it is printed.
    """
    is_kept = show(result.capture, result.diagnosed, as_json=as_json)
    check_confidence(result.diagnosed, fail_on)
    if result.job_failed:
        raise typer.Exit(DIAGNOSED_EXIT_CODE)
    if result.exit_code:
        raise ClusterError(
            f"the command {end_in_words(result.exit_code)}, though its jobs on the cluster "
            "succeeded",
            next_step="read what it printed, the last of it in "
            f"{result.capture.latest.path / 'output.txt'}",
        )
    if not is_kept:
        raise typer.Exit(UsageError.exit_code)


def show(capture: Capture, diagnosed: Diagnosed, *, as_json: bool = False) -> bool:
    """Print a diagnosis and save its report in the capture; the capture's path comes last.

    Returns:
        Whether the report was saved; where it was not, stderr says why.
    """
    print_diagnosis(diagnosed, as_json=as_json)
    sys.stdout.flush()  # a report that cannot be kept must not cost the one that is printed
    report = None
    try:
        report = keep_report(capture.latest.path, diagnosed)
    except UsageError as error:
        say(f"mprof: {error.what}", on_stderr=True)
        say(f"next step: {error.next_step}; mprof report {capture.path}", on_stderr=True)
    if not as_json:
        say()
        if report is not None:
            say(f"report   {report}")
        say(f"capture  {capture.path}")
    return report is not None


def print_diagnosis(diagnosed: Diagnosed, *, as_json: bool) -> None:
    """Print the diagnosis on stdout, as text or JSON."""
    if as_json:
        say_json(render_json(diagnosed))
    else:
        say_text(render_text(diagnosed))


def check_confidence(diagnosed: Diagnosed, fail_on: Confidence | None) -> None:
    """Exit with 1 if a cause of this confidence or higher is named."""
    exit_if_sure((cause.confidence for cause in diagnosed.diagnosis.causes), fail_on)


def exit_if_sure(confidences: Iterable[str], fail_on: Confidence | None) -> None:
    """Exit with 1 if any of these is that confidence or higher."""
    if fail_on is None:
        return
    order = list(Confidence)
    enough = set(order[: order.index(fail_on) + 1])
    if any(Confidence(each) in enough for each in confidences):
        raise typer.Exit(FINDING_EXIT_CODE)
