"""``mprof compare``: two captures beside each other, what changed and what that explains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import ForceFlag, HtmlOption, JsonFlag

__all__ = ["compare"]


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="The first: a capture folder, or any file, folder or archive that mprof diagnose "
            "takes.",
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="The second, of the same kinds.")],
    html: HtmlOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Compare two captures: data, settings, growth, verdicts, cost, and what that explains.

    Nothing is run, and no cluster is asked.
    """
    from mprof.cli.output import check_new, say, say_json, say_text, write_file
    from mprof.io.files import check_there

    check_new(html, force=force)
    for name in (before, after):
        check_there(Path(name))
    import json as json_codec

    from mprof.cli.terminal import TerminalObserver
    from mprof.report.captures import compare_diagnoses
    from mprof.runs import diagnose

    with TerminalObserver() as observer:
        first, second = (
            diagnose(name, embedded=False, conf_dir=None, capture=None, observer=observer)
            for name in (before, after)
        )
    found = compare_diagnoses(first, second, names=(before, after))
    if html is not None:
        from mprof.report.captures_page import captures_page

        write_file(html, captures_page(found))
        say(str(html))
    elif json:
        say_json(json_codec.dumps(found.to_json(), indent=2))
    else:
        from mprof.report.captures_text import captures_text

        say_text(captures_text(found))
