"""The script or query of a job: its text, and the statements of the step at death."""

from __future__ import annotations

import base64
import binascii
import struct
import urllib.parse
import zlib
from collections.abc import Sequence
from typing import Final

from mprof.code_site import ScriptSite
from mprof.engines import SCRIPT_FRAMEWORKS, Place, ScriptFramework, ScriptStep
from mprof.evidence.script import Script
from mprof.history import JobConf
from mprof.units import MIB

__all__ = ["script_of"]

_MOST_SCRIPT_BYTES: Final = MIB
_STREAM_HEADER: Final = b"\xac\xed\x00\x05"
# java.io.ObjectStreamConstants: a String, and one of more than 65,535 bytes
_LENGTHS: Final = {b"t": ">H", b"|": ">Q"}


def script_of(
    conf: JobConf | None, task_type: str | None, place: Place | None, framework: str = ""
) -> Script | None:
    """What the configuration says of it; None of a job that no script was compiled into.

    Args:
        conf: of the job.
        task_type: ``map`` or ``reduce``.
        place: where the attempt stood.
        framework: name of the one whose console tells of the job, where no configuration does.
    """
    if conf is None:
        told = (one for one in SCRIPT_FRAMEWORKS if one.name == framework)
        return next((Script(one, None, (), ()) for one in told), None)
    of_job = _framework(conf)
    if of_job is None:
        return None
    text = _TEXTS[of_job.encoding](conf.get(of_job.text) or "")
    file_name = (conf.get(of_job.path) or "").rpartition("/")[2] if of_job.path else ""
    return Script(
        framework=of_job,
        name=file_name if "." in file_name else None,  # "default" stands for none
        statements=_statements(conf, of_job, _steps(task_type, place)),
        lines=tuple(text.split("\n")) if text else (),
    )


def _framework(conf: JobConf) -> ScriptFramework | None:
    return next((each for each in SCRIPT_FRAMEWORKS if conf.get(each.marker)), None)


def _steps(task_type: str | None, place: Place | None) -> Sequence[ScriptStep]:
    """The steps that the statements at work may belong to; none before the user's code starts.

    The shuffle runs those of combine(), and fetches for those of reduce().
    """
    if place == "init":
        return ()
    if place == "shuffle":
        return ("combine", "reduce")
    if place == "combine":
        return ("combine",)
    return ("reduce",) if task_type == "reduce" else ("map",)


def _statements(
    conf: JobConf, framework: ScriptFramework, steps: Sequence[ScriptStep]
) -> tuple[ScriptSite, ...]:
    """The aliases that the configuration lists for these steps, each once."""
    listed = framework.statements
    if listed is None:
        return ()
    text = conf.get(listed.name) or ""
    names = {listed.steps[step] for step in steps}
    found: dict[str, ScriptSite] = {}
    name = ""
    for word in text.split():
        if word.endswith(":"):
            name = word[:-1]
            continue
        for one in listed.statement.finditer(word) if name in names else ():
            line = int(one["line"])
            if line > 0:
                found.setdefault(one["alias"], ScriptSite(framework.name, one["alias"], line))
    return tuple(sorted(found.values(), key=lambda site: site.line or 0))


def _text_in_url(stored: str) -> str:
    """The query (``HiveConf.setQueryString``); its lines count from the first that is not blank."""
    text = urllib.parse.unquote_plus(stored[: 3 * _MOST_SCRIPT_BYTES], errors="replace")
    return text.lstrip("\n")


def _serialized_text(stored: str) -> str:
    """The script, from base64 of a deflated, serialised String (``ObjectSerializer``)."""
    try:
        packed = base64.b64decode(stored, validate=True)
        data = zlib.decompressobj().decompress(packed, _MOST_SCRIPT_BYTES)
    except (binascii.Error, ValueError, zlib.error):
        return ""
    header = len(_STREAM_HEADER)
    length_format = _LENGTHS.get(data[header : header + 1])
    if not data.startswith(_STREAM_HEADER) or length_format is None:
        return ""
    begin = header + 1 + struct.calcsize(length_format)
    return data[begin:].decode("utf-8", "replace")


_TEXTS: Final = {"serialized": _serialized_text, "url": _text_in_url}
