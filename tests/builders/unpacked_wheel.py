"""What a wheel of mprof holds, laid out as an installation has it, without building one."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

__all__ = ["build_hook", "unpack_wheel"]

_ROOT = Path(__file__).resolve().parents[2]
_INTERFACE = "hatchling.builders.hooks.plugin.interface"


class _Hook:
    """As much of hatchling's class as the hook uses; hatchling itself comes with a build."""

    def __init__(self, root: str, *_: Any) -> None:
        self.root, self.target_name = root, "wheel"


def build_hook(root: Path = _ROOT) -> ModuleType:
    """The build hook of a checkout."""
    interface = ModuleType(_INTERFACE)
    interface.BuildHookInterface = _Hook  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("hatch_build", root / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, _INTERFACE, interface)
        spec.loader.exec_module(module)
    return module


def unpack_wheel(folder: Path) -> Path:
    """Fill a folder with the package as a wheel has it; the folder, for ``PYTHONPATH``."""
    build_data: dict[str, Any] = {"force_include": {}}
    build_hook().JarsHook(str(_ROOT), {}, None, None, "", "wheel").initialize(
        "standard", build_data
    )
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_ROOT / "mprof", folder / "mprof", ignore=ignored)
    for source, place in build_data["force_include"].items():
        here, there = _ROOT / source, folder / place
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_dir():
            shutil.copytree(here, there)
        else:
            shutil.copy2(here, there)
    return folder
