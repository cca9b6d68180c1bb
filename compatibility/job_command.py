"""``python -m compatibility.job_command``: run a job's command, and write down how it ended.

It stands before the command of both runs, the plain one and that of mprof, so that exit status and
output are told by the same observer; and it damages what mprof has staged, where a row says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from compatibility.tampering import WAYS, tamper

__all__ = ["main"]


def main() -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, required=True)
    parser.add_argument("--tamper", choices=sorted(WAYS))
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    if given.tamper:
        tamper(Path(os.environ["HADOOP_CONF_DIR"]), WAYS[given.tamper])
    done = subprocess.run(
        given.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    sys.stdout.write(done.stdout)
    record = {"exit": done.returncode, "output": done.stdout}
    given.record.write_text(json.dumps(record), encoding="utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
