"""``python -m distribution.kernels FOLDER``: compiles the kernels of `mprof heap` for a wheel.

The commands are run on small dumps, with a cache of their own and numba told which processor to
compile for; what they compiled is what is kept. So no list of kernels and types is kept by hand. A
command that takes another one compiles it, as before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from mprof.errors import ClusterError
from mprof.hadoop import java_home
from mprof.kernels._cache import (
    PREBUILT_FEATURES,
    PREBUILT_FOR,
    digest_of_sources,
    runs_prebuilt,
)

__all__ = ["build_kernels", "main"]

_SOURCE: Final = Path(__file__).with_name("KernelHeap.java")
_DUMPS: Final = {"live.hprof": "true", "all.hprof": "false"}
_COMMANDS: Final = (
    ("heap", "{dump}", "--json"),
    ("heap", "{dump}", "--histogram", "--json"),
    ("heap", "{dump}", "--strings", "--json"),
    ("heap", "{dump}", "--html", "{dump}.html"),
    ("heap", "{dump}", "--waste", "--json"),
    ("heap", "{dump}", "--redact", "{dump}.redacted.hprof"),
    ("heap", "{dump}", "{dump}", "--json"),
    ("diagnose", "{dump}", "--json"),
)
_SECONDS: Final = 300.0


def build_kernels(folder: Path) -> Path:
    """Compile, and put the code where a wheel takes it from.

    Args:
        folder: becomes the package's ``kernels/prebuilt``; what is there goes.

    Returns:
        The folder with the code, named for the processor and the sources.

    Raises:
        ClusterError: if Java, or one of the commands, fails.
    """
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / f"{PREBUILT_FOR}-{digest_of_sources()}"
    with tempfile.TemporaryDirectory(prefix="mprof-kernels-") as scratch:
        for name, live_only in _DUMPS.items():
            dump = Path(scratch, name)
            java = [str(java_home() / "bin" / "java"), "-Xmx256m", "-XX:+UseSerialGC"]
            _run([*java, str(_SOURCE), str(dump), live_only], Path(scratch))
            for words in _COMMANDS:
                command = [word.format(dump=dump) for word in words]
                _run([sys.executable, "-m", "mprof", *command], Path(scratch))
        found = sorted(Path(scratch, "cache").rglob("*.code"))
        if not found:
            raise ClusterError(
                "no kernel was compiled", next_step="run mprof heap on any dump, and see why"
            )
        target.mkdir(parents=True)
        for path in found:
            shutil.copyfile(path, target / path.name)
    return target


def main() -> int:
    """Compile into the folder that is named."""
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    if not runs_prebuilt():  # what is compiled is run, too
        shutil.rmtree(sys.argv[1], ignore_errors=True)
        print(f"this machine is not {PREBUILT_FOR}: the wheel is made without compiled kernels")
        return 0
    try:
        made = build_kernels(Path(sys.argv[1]))
    except ClusterError as error:
        print(f"{error.what}\nnext: {error.next_step}", file=sys.stderr)
        return 1
    print(f"{sum(1 for _ in made.iterdir())} kernels for {PREBUILT_FOR}: {made}")
    return 0


def _run(command: list[str], scratch: Path) -> None:
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(scratch / "cache"),
        "NUMBA_CPU_NAME": PREBUILT_FOR,
        "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in PREBUILT_FEATURES),
        # otherwise names in the code depend on what other threads compiled before
        "NUMBA_NUM_THREADS": "1",
    }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode != 0:
        raise ClusterError(
            f"{' '.join(command)} failed: {done.stderr.strip()[-2000:]}",
            next_step="run it by hand, and see why",
        )


if __name__ == "__main__":
    sys.exit(main())
