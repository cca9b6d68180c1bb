"""What `bb-window` costs on a simulated day of many nodes: 16 metrics of each, once a second.

``python tests/benchmarks/simulated_day.py write FOLDER --nodes 700`` writes the day as a store: a
Parquet file a node, as `mprof import` makes of the files of `mprof collect`. Levels are those of
``tests/builders/metric_nodes.py``; node 3 has a processor hog from noon on. A seed makes the same
day again, and a day of fewer nodes has the same first nodes.

``... read FOLDER`` only reads the Parquet files, with as many threads as `bb-window` has.
``... look FOLDER [--engine spark --master 'local-cluster[2,1,2048]'] [--threads N]`` compares the
nodes. Both take --nodes and --hours, and print seconds, processor seconds and the largest memory of
this process.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from builders.metric_nodes import ORDER, PHASES, START_S, cpu_hog

from mprof.metrics import METRIC_NAMES
from mprof.peers.detectors.bb_window import compare_rows
from mprof.pieces import Engine, LocalEngine
from mprof.store import Rows, SourceNote, Store, frame_of

DAY_S = 86_400
PIECE_S = 3_600
SICK = 3
_PERCENT = [METRIC_NAMES.index(name) for name in ("user", "system", "iowait")]
_STEADY = [METRIC_NAMES.index(name) for name in ("plist_sz", "ldavg_1", "rto_max")]


def schedule(seconds: int, seed: int) -> np.ndarray:
    """The phase of every second, as a number into ``ORDER``."""
    generator = np.random.default_rng(seed)
    phases: list[np.ndarray] = []
    while sum(map(len, phases)) < seconds:
        phases += [np.full(int(generator.uniform(20, 70)), each) for each in range(len(ORDER))]
    return np.concatenate(phases)[:seconds]


def hours_of(node: int, phases: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Times and values of a node, an hour at a time."""
    generator = np.random.default_rng([seed, node])
    levels = np.array([PHASES[name] for name in ORDER], dtype=np.float32)
    gain = generator.lognormal(0, 0.04, levels.shape[1]).astype(np.float32)
    offset = generator.uniform(0, 0.2)
    late = generator.normal(0, 4)
    spread = np.full(len(METRIC_NAMES), 0.35, dtype=np.float32)
    spread[_PERCENT], spread[_STEADY] = 0.15, 0.01
    for begin in range(0, len(phases), PIECE_S):
        at = np.arange(begin, min(begin + PIECE_S, len(phases)))
        late = 0.5 * late + generator.normal(0, 3)
        phase = phases[np.clip((at + late).astype(int), 0, len(phases) - 1)]
        noise = generator.standard_normal((len(at), len(METRIC_NAMES)), dtype=np.float32)
        values = levels[phase] * gain * np.exp(spread * noise)
        runq = METRIC_NAMES.index("runq_sz")
        values[:, runq] = generator.poisson(levels[phase, runq])
        if node == SICK:
            sick = values[at >= len(phases) // 2]
            cpu_hog(sick, generator)
            values[at >= len(phases) // 2] = sick
        values[:, _PERCENT] = np.clip(values[:, _PERCENT], 0, 100)
        yield START_S + at + offset, values


def write(folder: Path, nodes: int, seconds: int, seed: int) -> None:
    store = Store(folder)
    phases = schedule(seconds, seed)
    for node in range(nodes):
        source = f"node{node:04d}"
        if store.has(source):
            continue
        with store.writing(source) as writer:
            for at_s, values in hours_of(node, phases, seed):
                columns = {"host": [source] * len(at_s), "at_s": at_s}
                columns |= {name: values[:, each] for each, name in enumerate(METRIC_NAMES)}
                writer.write("metrics", frame_of("metrics", columns))
            writer.finish(SourceNote(source, source, "simulated", 1, writer.rows, 0, None))


def chosen(store: Store, nodes: int | None) -> tuple[Path, ...]:
    """The files of so many nodes."""
    return tuple(sorted((store.folder / "metrics").glob("*.parquet")))[:nodes]


def rows_of(store: Store, nodes: int | None, hours: float) -> Rows:
    """The rows of so many nodes and hours from noon on."""
    columns = ("host", "at_s", *METRIC_NAMES)
    rows = store.rows("metrics", columns=columns, by="at_s", categories=["host"])
    files = {str(file.absolute()) for file in chosen(store, nodes)}
    part = replace(rows, groups=tuple(group for group in rows.groups if group.file in files))
    noon_s = START_S + DAY_S / 2
    return part if hours >= 24 else part.between(noon_s, noon_s + 3600 * hours)


def read(rows: Rows, threads: int) -> str:
    """Decode every column of every row group once, and keep nothing."""

    def values_of(file: str) -> int:
        with pq.ParquetFile(file, pre_buffer=False) as opened:
            groups = (
                opened.read_row_group(group.number, use_threads=False)
                for group in rows.groups
                if group.file == file
            )
            return sum(group.num_rows * len(METRIC_NAMES) for group in groups)

    with ThreadPoolExecutor(threads) as pool:
        return f"{sum(pool.map(values_of, {group.file for group in rows.groups})):,} values"


def look(rows: Rows, engine: Engine) -> str:
    comparison = compare_rows(rows, engine)
    return (
        f"{len(comparison.nodes)} nodes, {comparison.windows:,} windows, indicted:"
        f" {', '.join(comparison.indicted) or comparison.withheld or 'none'}"
    )


def measured(what: str, work: Callable[[], str]) -> None:
    """Run it, and print what it took."""
    began, ticks = time.perf_counter(), time.process_time()
    said = work()
    seconds, own = time.perf_counter() - began, time.process_time() - ticks
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{what}: {seconds:,.1f} s, {own:,.1f} processor seconds of this process,"
        f" {largest:,.0f} MB; {said}",
        flush=True,
    )


@contextlib.contextmanager
def engine_of(name: str, master: str | None, threads: int | None) -> Iterator[Engine]:
    if name == "local":
        yield LocalEngine(threads)
        return
    from mprof.pieces.spark import spark_engine

    with spark_engine(master) as engine:
        yield engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["write", "read", "look"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--seconds", type=int, default=DAY_S)
    parser.add_argument("--hours", type=float, default=24, help="of the day, from noon on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["local", "spark"], default="local")
    parser.add_argument("--master")
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    if asked.verb == "write":
        write(asked.folder, asked.nodes or 700, asked.seconds, asked.seed)
        return
    rows = rows_of(Store.at(asked.folder), asked.nodes, asked.hours)
    if asked.verb == "read":
        measured("read", lambda: read(rows, asked.threads))
        return
    with engine_of(asked.engine, asked.master, asked.threads) as engine:
        measured("look", lambda: look(rows, engine))


if __name__ == "__main__":
    main()
