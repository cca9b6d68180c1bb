"""The command line: one file per subcommand; each parses, calls one function and prints."""

from __future__ import annotations

from mprof.cli.main import main

__all__ = ["main"]
