"""What all tests share."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest
from builders.part_of_today import part_in_words, set_part_of_today
from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("mprof", deadline=None)
settings.load_profile("mprof")

set_part_of_today()

# Where a shell starts the tests in the background, these are ignored, by their child processes too.
# A handler is not inherited: with one here, the children have the default action.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # under nohup, which still holds here
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``PYTHONPATH`` with the package as a wheel has it."""
    from builders.unpacked_wheel import unpack_wheel

    return unpack_wheel(tmp_path_factory.mktemp("site"))


def pytest_report_header() -> str:
    """Which part of the sweeps is tried."""
    return part_in_words()


@pytest.hookimpl(tryfirst=True)  # before any is deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """See to it that `make test` finds what it runs by its mark: by the text of the files."""
    texts = {item.path: "" for item in items}
    for mark in ("hadoop", "jvm"):
        for path in {item.path for item in items if item.get_closest_marker(mark)}:
            texts[path] = texts[path] or path.read_text(encoding="utf-8")
            if f"mark.{mark}" not in texts[path]:
                raise pytest.UsageError(f"{path} has tests of pytest.mark.{mark}: name it there")


def pytest_collection_finish() -> None:
    """What collecting made stays to the end: no garbage collection is to look at it again."""
    gc.collect()
    gc.freeze()
