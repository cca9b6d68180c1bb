"""A change of a suspect as one line, of text or of JSON."""

from __future__ import annotations

import json

from mprof.io.printable import in_json
from mprof.peers.verdict.changes import Change
from mprof.report.nodes.json import suspect_to_json
from mprof.report.nodes.words import in_words
from mprof.report.times import moment_text

__all__ = ["change_as_json", "change_as_text"]


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
