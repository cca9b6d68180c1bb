"""The man page is the one that would be made now, holds every verb, and is in the wheel."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from development.pages.man import man_page
from mprof.cli.subcommands import command

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "mprof.1"


def every(one: Any, path: str = "mprof") -> list[tuple[str, Any]]:
    below = getattr(one, "commands", {})
    return [
        (path, one),
        *(each for name, verb in below.items() for each in every(verb, f"{path} {name}")),
    ]


def rendered() -> str:
    """The page as a reader sees it, on one wide line a paragraph."""
    if shutil.which("groff") is None:
        pytest.skip("groff is not there, which man needs as well")
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-bcou", "-ww", "-rLL=2000n", str(PAGE)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "" == done.stderr
    return done.stdout


def test_the_committed_page_is_up_to_date() -> None:
    assert man_page() == PAGE.read_text(encoding="utf-8"), "make docs"


def test_every_verb_and_option_stands_in_the_page() -> None:
    text = rendered()
    verbs = every(command())
    assert len(verbs) > 25
    for path, verb in verbs[1:]:
        assert f"{path} [OPTIONS]" in text
        for option in (each for each in verb.params if each.param_type_name == "option"):
            assert option.opts[0] in text, (path, option.opts)
    assert "interrupted" in text.partition("EXIT STATUS")[2]


def test_the_wheel_puts_it_where_man_looks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert "share/man/man1/mprof.1" == shared[str(PAGE.relative_to(ROOT))]
