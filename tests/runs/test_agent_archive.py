"""The agent's jar as it is installed: one that no JVM would start with is staged for nobody."""

from __future__ import annotations

import io
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mprof.errors import ClusterError
from mprof.runs import agent_archive
from mprof.runs.agent_archive import agent_checksum

START = "org/mprof/agent/Premain.class"


def _packed(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.writestr(name, f"{name} " * 500)
    return file.getvalue()


WHOLE = _packed(START, "org/mprof/agent/Settings.class")


def _flipped(content: bytes) -> bytes:
    return content[:60] + bytes([content[60] ^ 0xFF]) + content[61:]


@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda jar: jar[: len(jar) // 2], _flipped, lambda _: _packed("a.txt")],
    ids=["empty", "half", "a byte", "no start"],
)
def test_a_damaged_jar_is_refused_before_a_job_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes], bytes]
) -> None:
    jar = tmp_path / "mprof-agent.jar"
    jar.write_bytes(damage(WHOLE))
    monkeypatch.setattr(agent_archive, "agent_jar", lambda: jar)

    with pytest.raises(ClusterError, match="is damaged"):
        agent_checksum()


def test_a_whole_jar_is_told_as_cksum_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "mprof-agent.jar"
    jar.write_bytes(WHOLE)
    monkeypatch.setattr(agent_archive, "agent_jar", lambda: jar)

    done = subprocess.run(["cksum"], input=WHOLE, capture_output=True, check=True)
    assert done.stdout.decode() == f"{agent_checksum()}\n"
