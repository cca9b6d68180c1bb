"""The command line: one file a verb; each parses, calls one function and prints."""

from __future__ import annotations

from mprof.cli.main import main

__all__ = ["main"]
