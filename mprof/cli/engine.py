"""The options that say what runs a command over many files or rows, and what they choose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from mprof.errors import UsageError

if TYPE_CHECKING:
    from mprof.pieces import Engine

__all__ = ["EngineName", "EngineOption", "MasterOption", "chosen_engine"]


class EngineName(StrEnum):
    """What may run it."""

    local = "local"
    spark = "spark"


EngineOption = Annotated[
    EngineName,
    typer.Option(
        "--engine",
        help="Where the work is done: on this machine's cores, or on Spark (pip install "
        r"'mprof-hadoop\[spark]'), whose machines must see the store under the same path.",
    ),
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        help="Spark's master: local[*], local-cluster[2,1,1024], yarn, spark://HOST:PORT; default: "
        "as Spark is configured.",
    ),
]


@contextlib.contextmanager
def chosen_engine(name: EngineName, master: str | None) -> Iterator[Engine]:
    """The engine that was asked for, for the time of a block.

    Raises:
        UsageError: if a master is given without Spark, or Spark cannot be used.
        ClusterError: if Spark cannot be started.
    """
    if name is EngineName.spark:
        from mprof.pieces.spark import spark_engine

        with spark_engine(master) as engine:
            yield engine
        return
    if master is not None:
        raise UsageError("--master is of Spark", next_step="add --engine spark")
    from mprof.pieces import LocalEngine

    yield LocalEngine()
