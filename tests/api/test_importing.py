"""``import mprof`` is cheap, and shows its names to people, editors and type checkers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mprof

ROOT = Path(__file__).parents[2]
HEAVY = ("pandas", "numpy", "numba", "networkx", "scipy", "statsmodels", "msgspec", "typer", "rich")


def python(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_mprof_imports_none_of_the_libraries() -> None:
    loaded = "import sys, mprof; print(*[name for name in {} if name in sys.modules])"
    assert [] == python(loaded.format(HEAVY))


def test_a_diagnosis_is_made_without_networkx_and_the_graph_without_the_tables() -> None:
    case = "cases/in-mem-word-count/evidence"
    code = f"""
import sys, mprof
diagnosed = mprof.diagnose({case!r})
print("networkx" in sys.modules, "mprof.tables" in sys.modules)
mprof.holder_graph(diagnosed)
print("networkx" in sys.modules, "mprof.tables" in sys.modules)
"""
    assert ["False", "False", "True", "False"] == python(code)


def test_the_module_lists_its_names_before_any_of_them_is_used() -> None:
    listed = python("import mprof; print(*dir(mprof))")
    assert set(mprof.__all__) <= set(listed)
    assert {"diagnose", "holder_graph", "read_heap", "tables"} <= set(listed)


@pytest.mark.parametrize("name", mprof.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(mprof, name)
    assert name == "__version__" or value.__doc__


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'diagnosis_of'"):
        mprof.diagnosis_of  # type: ignore[attr-defined]  # noqa: B018


def test_tables_can_be_imported_in_either_way() -> None:
    code = "import mprof.tables as a; from mprof import tables as b; print(a is b)"
    assert ["True"] == python(code)


@pytest.mark.slow
def test_a_type_checker_knows_the_public_names() -> None:
    sample = Path(__file__).with_name("typed_sample.py")
    command = [sys.executable, "-m", "mypy", "--strict", str(sample.relative_to(ROOT))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
