"""A change of a suspect as one line, of text or of JSON."""

from __future__ import annotations

import json

from mprof.io.printable import in_json
from mprof.peers.verdict.changes import Change
from mprof.peers.verdict.reported import Reported
from mprof.report.nodes.json import reported_to_json, suspect_to_json
from mprof.report.nodes.words import in_words, reported
from mprof.report.times import moment_text

__all__ = ["change_as_json", "change_as_text", "state_as_json", "state_as_text"]


def change_as_text(change: Change) -> str:
    """One line for a terminal or a log."""
    one = change.suspect
    when = moment_text(change.at_s)
    if change.what == "recovers":
        return f"{when}  {one.host} recovers: it is like its peers again"
    return f"{when}  {one.host} {change.what}: {in_words(one)}"


def change_as_json(change: Change) -> str:
    """One JSON object in one line."""
    value = {
        "schema_version": 1,
        "change": change.what,
        "at_s": change.at_s,
        "suspect": suspect_to_json(change.suspect),
    }
    return in_json(json.dumps(value))


def state_as_text(state: Reported, at_s: float, *, is_over: bool = False) -> str:
    """What the ResourceManager says of a node, as one line."""
    if is_over:
        return f"{moment_text(at_s)}  {state.host} is no longer {state.state}"
    return f"{moment_text(at_s)}  {reported(state)}"


def state_as_json(state: Reported, at_s: float, *, is_over: bool = False) -> str:
    """The same as one JSON object in one line."""
    value = {
        "schema_version": 1,
        "change": "well again" if is_over else "reported",
        "at_s": at_s,
        "reported": reported_to_json(state),
    }
    return in_json(json.dumps(value))
