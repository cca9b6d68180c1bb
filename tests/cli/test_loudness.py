"""Every verb takes -q and -v, before its name and behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders.commands import mprof

from mprof.cli.subcommands import command

CASE = "cases/in-mem-word-count/evidence"


def every(one: Any) -> list[Any]:
    return [
        one,
        *(below for each in getattr(one, "commands", {}).values() for below in every(each)),
    ]


def test_every_verb_takes_both_once() -> None:
    verbs = every(command())
    assert len(verbs) > 25
    for verb in verbs:
        taken = [option for each in verb.params for option in each.opts]
        assert 1 == taken.count("-q") == taken.count("--quiet"), verb.name
        assert 1 == taken.count("-v") == taken.count("--verbose"), verb.name


@pytest.mark.parametrize("words", [("-q", "report", CASE), ("report", CASE, "--quiet")])
def test_a_quiet_report_is_the_report_alone(words: tuple[str, ...]) -> None:
    usual, quiet = mprof("report", CASE), mprof(*words)
    assert "mprof: reading" in usual.stderr
    assert "" == quiet.stderr
    assert usual.stdout == quiet.stdout


def test_an_error_is_said_all_the_same() -> None:
    done = mprof("-q", "report", "no-such-folder")
    assert 3 == done.returncode
    assert "next step" in done.stderr


def test_what_stands_behind_two_dashes_is_the_commands_own(tmp_path: Path) -> None:
    done = mprof("run", "-o", str(tmp_path / "capture"), "--", "no-such-command", "-q", "-v")
    assert "mprof: connecting to the cluster" in done.stderr
