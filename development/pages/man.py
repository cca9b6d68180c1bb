"""The man page, from the verbs and options as they are parsed, and the table of exit codes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from mprof import errors
from mprof.cli.subcommands import command

__all__ = ["man_page"]

_ENVIRONMENT: Final = {
    "HADOOP_CONF_DIR": "The client configuration of the cluster, where no --config names one.",
    "JAVA_HOME": "The Java that is used; without it the one on the PATH.",
    "NO_COLOR": "With any value, nothing is coloured.",
}
_CODE: Final = re.compile(r"^(\d+) +(\S.*)$")


def man_page() -> str:
    """``mprof.1``, for groff's man macros."""
    top = command()
    lines = [
        '.\\" Made by `make docs`; do not edit.',
        ".TH MPROF 1",
        ".SH NAME",
        f"mprof {_roff('- say why a Hadoop MapReduce job ran out of memory')}",
        ".SH SYNOPSIS",
        r"\fBmprof\fR [\fIOPTIONS\fR] \fIVERB\fR [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(top.help),
        ".SH OPTIONS",
        *_options(top),
        ".SH VERBS",
    ]
    for name, verb in top.commands.items():
        lines += _verb(f"mprof {name}", verb)
    lines += [".SH EXIT STATUS", *_items(_exit_codes())]
    lines += [".SH ENVIRONMENT", *_items(_ENVIRONMENT.items())]
    return "\n".join(lines) + "\n"


def _verb(path: str, verb: Any) -> Iterator[str]:
    below = getattr(verb, "commands", {})
    arguments = [each for each in verb.params if each.param_type_name == "argument"]
    words = "VERB" if below else " ".join(map(_argument, arguments))
    yield f'.SS "{_roff(f"{path} [OPTIONS] {words}".rstrip())}"'
    yield from _paragraphs(verb.help)
    yield from _items((_argument(each), each.help or "") for each in arguments)
    yield from _options(verb)
    for name, each in below.items():
        yield from _verb(f"{path} {name}", each)


def _argument(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    name = f"{name}..." if argument.nargs == -1 else name
    return name if argument.required else f"[{name}]"


def _options(verb: Any) -> Iterator[str]:
    """What a verb takes beyond what all take, which stands once, under OPTIONS."""
    shown = (
        each
        for each in verb.params
        if each.param_type_name == "option"
        and (verb.name == "mprof" or not {"-q", "-v"} & set(each.opts))
    )
    return _items((_option(each), _told(each)) for each in shown)


def _option(option: Any) -> str:
    names = ", ".join((*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    choices = getattr(option.type, "choices", None)
    value = option.metavar or ("|".join(map(str, choices)) if choices else option.type.name.upper())
    return f"{names} {value}"


def _told(option: Any) -> str:
    default = option.default
    if option.is_flag or default is None or callable(default) or not str(default):
        return option.help or ""
    return f"{option.help or ''} [default: {getattr(default, 'value', default)}]".strip()


def _exit_codes() -> Iterator[tuple[str, str]]:
    """The rows of the table in the docstring of `mprof.errors`."""
    code, told = "", ""
    for line in inspect.cleandoc(errors.__doc__ or "").splitlines():
        found = _CODE.match(line)
        if found is not None:
            if code:
                yield code, told
            code, told = found[1], found[2]
        elif code and line.startswith("      "):
            told += f" {line.strip()}"
        elif line.startswith("====") and code:
            yield code, told
            return


def _items(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, text in rows:
        yield from (".TP", rf"\fB{_roff(name)}\fR", _roff(" ".join(text.split())))


def _paragraphs(text: str | None) -> Iterator[str]:
    for number, each in enumerate(inspect.cleandoc(text or "").split("\n\n")):
        if number:
            yield ".PP"
        yield _roff(" ".join(each.split()))


def _roff(text: str) -> str:
    """The text as such: nothing in it is an escape, or a macro at the start of a line."""
    shown = text.replace("\\", r"\e").replace("-", r"\-").replace("`", "")
    return rf"\&{shown}" if shown[:1] in (".", "'") else shown
