"""``mprof completion``: what completes verbs, options and files in a shell."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

__all__ = ["COMPLETION_VARIABLE", "completion"]

COMPLETION_VARIABLE: Final = "_MPROF_COMPLETE"
"""With it, in the environment, mprof prints what may come next and does nothing else."""


class _Shell(StrEnum):
    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(
    shell: Annotated[_Shell, typer.Argument(help="The shell that it is for.", metavar="SHELL")],
) -> None:
    """Print a script that completes mprof's verbs and options in bash, zsh or fish.

    bash: mprof completion bash > ~/.local/share/bash-completion/completions/mprof

    zsh: mprof completion zsh > a file called _mprof in a folder of $fpath

    fish: mprof completion fish > ~/.config/fish/completions/mprof.fish
    """
    from typer._completion_shared import get_completion_script

    from mprof.cli.output import say_text

    say_text(
        get_completion_script(
            prog_name="mprof", complete_var=COMPLETION_VARIABLE, shell=shell.value
        )
    )
