"""The package as a wheel lays it out, with the cases inside, without building a wheel."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

__all__ = ["build_hook", "unpack_wheel"]

_ROOT = Path(__file__).resolve().parents[2]
_INTERFACE = "hatchling.builders.hooks.plugin.interface"


def build_hook() -> ModuleType:
    """The build hook of the checkout; what it takes from hatchling comes with a build only."""
    interface = ModuleType(_INTERFACE)
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("hatch_build", _ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, _INTERFACE, interface)
        spec.loader.exec_module(module)
    return module


def unpack_wheel(folder: Path) -> Path:
    """Fill a folder with the package as a wheel has it; the folder, for ``PYTHONPATH``."""
    shutil.copytree(_ROOT / "mprof", folder / "mprof", ignore=shutil.ignore_patterns("__pycache__"))
    # Not where a wheel that is built beside the tests has them, and in 3 s instead of 12.
    packed = build_hook().case_files(_ROOT, folder / "recordings", preset=0)
    for source, place in packed.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    shutil.rmtree(folder / "recordings")
    return folder
