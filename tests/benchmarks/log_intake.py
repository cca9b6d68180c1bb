"""What `mprof diagnose` costs on large logs of every kind, and whether it finds their deaths.

Run it as ``python tests/benchmarks/log_intake.py [--megabytes N] [--form FORM] [--beside TREE]
[KIND...]``. Each kind of large log (`builders.large_logs`) is written to a temporary place and
diagnosed by a process of its own; with ``--beside`` by the mprof of another source tree, too, just
before. The forms are one file, the same packed by gzip, and a folder of logs by container, as
NodeManagers keep them. Printed are wall time, CPU time, the largest resident set, and how many of
the deaths in the log were found.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from builders.container_logs import APPLICATION  # noqa: E402 - after the path
from builders.large_logs import MAKERS, LargeLog, large_log  # noqa: E402 - after the path


def main() -> None:
    """Measure, and print two lines a kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=list(MAKERS), metavar="KIND")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--form", choices=FORMS, default="file")
    parser.add_argument("--beside", type=Path, help="another source tree of mprof")
    given = parser.parse_args()
    trees = [*([given.beside.resolve()] if given.beside else []), ROOT]
    with tempfile.TemporaryDirectory() as scratch:
        for kind in given.kinds:
            log = large_log(kind, given.megabytes * 1_000_000)
            path = FORMS[given.form](log, Path(scratch))
            for tree in trees:
                print(f"{kind:22} {_measured(tree, path, log, Path(scratch))}", flush=True)


def _file(log: LargeLog, scratch: Path) -> Path:
    path = scratch / "large.log"
    with path.open("wb", buffering=1 << 20) as file:
        file.writelines(log)
    return path


def _packed(log: LargeLog, scratch: Path) -> Path:
    path = scratch / "large.log.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(log)
    return path


def _folder(log: LargeLog, scratch: Path) -> Path:
    """``userlogs/application_.../container_.../syslog`` of what ``yarn logs`` would print."""
    root = scratch / "userlogs"
    shutil.rmtree(root, ignore_errors=True)
    logs = re.compile(rb"^Container: (\S+) on .*\n=+\nLogType:(\S+)\n(?:.*\n){3}", re.MULTILINE)
    for piece in log:
        begins = list(logs.finditer(piece))
        stops = [*(one.start() for one in begins[1:]), len(piece)]
        for found, stop in zip(begins, stops, strict=True):
            name, log_type = found[1].decode(), found[2].decode()
            place = root / f"application_{APPLICATION}" / name / log_type
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(piece[found.end() : piece.rindex(b"End of LogType", 0, stop)])
    return root


FORMS = {"file": _file, "gzip": _packed, "folder": _folder}


def _measured(tree: Path, path: Path, log: LargeLog, scratch: Path) -> str:
    command = [sys.executable, "-m", "mprof", "diagnose", str(path), "--json"]
    environment = dict(os.environ, PYTHONPATH=str(tree))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(scratch / "byte-code" / tree.name)
    out = scratch / "out.json"
    started = time.monotonic()
    with (
        out.open("wb") as stdout,
        subprocess.Popen(
            command, stdout=stdout, stderr=subprocess.DEVNULL, env=environment, cwd=tree
        ) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - started
    return (
        f"{_size(path) / 1e6:5.0f} MB: wall {wall:5.1f} s, CPU "
        f"{usage.ru_utime + usage.ru_stime:5.1f} s, {usage.ru_maxrss >> 10:4} MB resident, "
        f"{_found(out.read_bytes(), log)} of {len(log.deaths)} deaths ({tree})"
    )


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(one.stat().st_size for one in files if one.is_file())


def _found(printed: bytes, log: LargeLog) -> int:
    """How many of the deaths are told, by their ids where there are several."""
    told = json.loads(printed) if printed else {}
    if "deaths" in told:
        named = {one["container_id"] or one["attempt_id"]: one["kind"] for one in told["deaths"]}
        return sum(named.get(name) == kind for name, kind in log.deaths.items())
    return int(told.get("death", {}).get("kind") in log.deaths.values())


if __name__ == "__main__":
    main()
