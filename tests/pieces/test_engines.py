"""A function over pieces: the same frame from every engine, faults in words."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from builders.spark import local_cluster

from mprof.errors import EvidenceError, UsageError
from mprof.pieces import LocalEngine
from mprof.pieces.spark import _settings, spark_engine
from mprof.threshold import Threshold, thresholds_moved

HALF = Threshold("half", 0.5, "share", "of a test")
SCHEMA = pa.schema({"piece": pa.int64(), "value": pa.float64(), "text": pa.string()})


def rows_of(piece: int) -> pd.DataFrame:
    """As many rows as the piece says, with a missing text."""
    values = [piece / 3 + HALF.value] * piece
    return pd.DataFrame({"piece": [piece] * piece, "value": values, "text": [None] * piece})


def refused(piece: int) -> pd.DataFrame:
    if piece == 2:
        raise EvidenceError("piece 2 is damaged", next_step="copy it again")
    return rows_of(piece)


def together(barrier: threading.Barrier, piece: int) -> pd.DataFrame:
    barrier.wait(timeout=60)
    return rows_of(piece)


def test_results_come_in_the_order_of_the_pieces() -> None:
    found = LocalEngine(4).frame(rows_of, [3, 0, 1, 2], SCHEMA)

    assert [3, 3, 3, 1, 2, 2] == found["piece"].tolist()


def test_nothing_to_do_is_an_empty_frame_with_the_columns() -> None:
    found = LocalEngine().frame(rows_of, [], SCHEMA)

    assert (list(SCHEMA.names), 0) == (list(found.columns), len(found))


def test_pieces_run_at_the_same_time() -> None:
    # Each waits for the other: one after the other they would never end.
    barrier = threading.Barrier(2)

    assert 3 == len(LocalEngine(2).frame(partial(together, barrier), [1, 2], SCHEMA))


def test_thresholds_that_were_moved_are_moved_in_every_thread() -> None:
    with thresholds_moved({"half": 7.0}):
        found = LocalEngine(2).frame(rows_of, [1, 2], SCHEMA)

    assert [1 / 3 + 7, 2 / 3 + 7, 2 / 3 + 7] == found["value"].tolist()


def test_the_fault_of_a_piece_is_the_fault_of_all() -> None:
    with pytest.raises(EvidenceError, match="piece 2 is damaged"):
        LocalEngine(2).frame(refused, [1, 2, 3], SCHEMA)


def test_without_pyspark_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Without:
        @staticmethod
        def find_spec(name: str, *_: Any) -> None:
            if name == "pyspark":
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.delitem(sys.modules, "pyspark", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Without, *sys.meta_path])
    with pytest.raises(UsageError) as raised, spark_engine():
        pass

    expected = "--engine spark needs PySpark. Next step: pip install 'mprof-hadoop[spark]'"
    assert expected == str(raised.value)
    assert 2 == raised.value.exit_code


@pytest.fixture(scope="module")
def spark_frame() -> Any:
    with local_cluster() as engine:
        from pyspark import cloudpickle

        # An executor cannot import this module.
        cloudpickle.register_pickle_by_value(sys.modules[__name__])
        yield engine.frame


@pytest.mark.slow
@pytest.mark.jvm
@pytest.mark.parametrize("pieces", [[3, 0, 1, 2], [5], [0], []])
def test_spark_gives_the_same_frame(
    spark_frame: Callable[..., pd.DataFrame], pieces: list[int]
) -> None:
    with thresholds_moved({"half": 7.0}):
        expected = LocalEngine(1).frame(rows_of, pieces, SCHEMA)
        found = spark_frame(rows_of, pieces, SCHEMA)

    pd.testing.assert_frame_equal(expected, found, check_exact=True)


@pytest.mark.slow
@pytest.mark.jvm
def test_the_fault_of_a_piece_comes_back_from_spark(
    spark_frame: Callable[..., pd.DataFrame],
) -> None:
    with pytest.raises(EvidenceError) as raised:
        spark_frame(refused, [1, 2, 3], SCHEMA)

    assert "piece 2 is damaged. Next step: copy it again" == str(raised.value)


def test_workers_have_what_fsspec_is_told_by_the_environment_and_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FSSPEC_WEBHDFS_USER", "etl")
    monkeypatch.setenv("FSSPEC_S3_SECRET", "hidden")
    monkeypatch.setenv("FSSPEC_WEBHDFS_PASSWORD", "hidden")
    told = {name: value for name, value in _settings("yarn").items() if "Env" in name}
    assert told == {"spark.executorEnv.FSSPEC_WEBHDFS_USER": "etl"}
