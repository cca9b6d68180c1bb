"""``mprof calibrate``: what a cluster's own runs say about the detectors of ``mprof nodes``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from mprof.cli.options import ForceFlag, JsonFlag
from mprof.errors import UsageError
from mprof.extras import need
from mprof.remote.address import place_of

__all__ = ["CalibrateCommand", "calibrate", "spread"]


class CalibrateCommand(TyperCommand):
    """Takes several folders behind one ``--faults``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with ``--faults`` repeated for each of its folders."""
        return super().parse_args(ctx, spread(args, "--faults"))


def spread(arguments: list[str], option: str) -> list[str]:
    """The same with an option repeated before each of the words behind it, up to the next option.

    >>> spread(["c", "--faults", "a", "b", "-o", "f"], "--faults")
    ['c', '--faults', 'a', '--faults', 'b', '-o', 'f']
    """
    found: list[str] = []
    inside = False
    for each in arguments:
        if each.startswith("-"):
            inside = each == option
            if not inside:
                found.append(each)
        else:
            found += [option, each] if inside else [each]
    return found if arguments[-1:] != [option] else [*found, option]


def calibrate(
    controls: Annotated[
        list[str],
        typer.Argument(
            help="Runs in which nothing was wrong: folders that mprof import filled, or their"
            " addresses, folders with the logs and metrics of a run, or folders of such folders.",
            metavar="CONTROLS...",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="New file, for mprof nodes --calibration.")
    ],
    faults: Annotated[
        list[str] | None,
        typer.Option(
            "--faults",
            help="Runs whose label.json says what was wrong; a tree learns to identify it.",
            metavar="LABELLED...",
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Write the tree as a picture (SVG) there.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random draws.", min=0)] = 0,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Set the thresholds of the detectors from runs of this cluster in which nothing was wrong.

    Sets for each detector how far from its peers a node must be, so that at most 3 % of the nodes
    of control runs are named; learns the profiles of healthy nodes (bb-profile) and, with
    --faults, to tell kinds of sickness apart.
    """
    from mprof.store.place import check_folder

    need("nodes", by="mprof calibrate")
    runs, labelled = ([place_of(each) for each in named] for named in (controls, faults or ()))
    for path in (*runs, *labelled):
        if isinstance(path, Path):
            check_folder(path)
    from mprof.cli.output import check_new, say_json, say_text, write_file
    from mprof.cli.terminal import TerminalObserver
    from mprof.peers.calibration.file import text_of
    from mprof.peers.calibration.from_recordings import make_calibration
    from mprof.peers.synthesis.tree import FEWEST_EXPERIMENTS
    from mprof.report.calibration import calibration_text
    from mprof.report.tree_picture import tree_picture

    for file in (output, picture):
        check_new(file, force=force)
    if picture is not None and not faults:
        raise UsageError("there is no tree to draw", next_step="name labelled runs with --faults")
    with TerminalObserver() as observer:
        made = make_calibration(
            runs,
            labelled,
            seed=seed,
            stage=observer.stage,
            progress=observer.progress,
        )
    text = text_of(made.calibration)
    write_file(output, text)
    tree = made.calibration.tree
    if picture is not None and tree is not None:
        write_file(picture, tree_picture(tree))
    if json:
        say_json(text.rstrip())
        return
    shown = calibration_text(
        made.calibration,
        fewest_experiments=FEWEST_EXPERIMENTS.value,
        by_indicted=made.confusion_by_indicted,
    )
    say_text(f"{shown}\n\nwritten to {output}")
