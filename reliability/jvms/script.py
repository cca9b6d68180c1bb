"""A job written down: the script of its user code, its input, and the command that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from mprof.units import MIB
from reliability.jvms.slots import slots_of
from reliability.model import Consumer, Input, Task

__all__ = ["Part", "command_of", "is_ordered", "script_of", "write_inputs"]

_SMALLEST, _LARGEST = 128, 16_384
"""Heap bytes of an element."""
_COLLECTORS: Final = {"Serial": "Serial", "Parallel": "Parallel", "G1": "G1"}
_BLOCK: Final = 128 * MIB


@dataclass(frozen=True)
class Part:
    """What one task of the side in question is given.

    Attributes:
        task: with its input and consumers.
        factors: of each consumer, how much of it is left; None for all of each.
        taken: bytes of the heap that it is to do without.
        buffer: bytes of its sort buffer, where they differ from the job's; None where not.
    """

    task: Task
    factors: Sequence[float] | None = None
    taken: float = 0.0
    buffer: float | None = None


def script_of(part: Part, side_files: Path) -> str:
    """The script of one task."""
    task = part.task
    slots = slots_of(task)
    assert slots is not None
    buffer = 0 if part.buffer is None else max(1, int(part.buffer) // MIB)
    ratio = 0.0 if task.shuffling is None else task.shuffling.ratio
    lines = [f"{int(part.taken)}|{buffer}|{ratio!r}"]
    for i, one in enumerate(task.consumers):
        left = 1.0 if part.factors is None else float(part.factors[i])
        if left * one.bytes <= 0:
            continue
        lines.append(_line(one, slots[i], left, task, side_files))
    return ";".join(lines)


def _line(one: Consumer, slot: str, left: float, task: Task, side_files: Path) -> str:
    scale = one.scale * task.grain if one.by == "records" else one.scale
    level = one.owner if one.owner in ("writer", "reader") else one.level
    file = ""
    if one.file is not None:
        path = side_files / Path(one.file[0]).name
        if not path.exists():
            path.touch()
            with path.open("r+b") as out:
                out.truncate(one.file[1])
        file = str(path)
    words = [
        slot, level, one.law.name, repr(one.law.k), ",".join(map(repr, one.law.weights)), one.by,
        repr(float(scale)), repr(float(one.bytes * left)), str(_element(one, task)),
        "spiky" if one.spiky else "", file, "seen" if one.seen else "",
    ]  # fmt: skip
    return "|".join(words)


def _element(one: Consumer, task: Task) -> int:
    """Heap bytes of an element: what a record adds, where that is a size that objects have."""
    mean = float(task.input.sizes.mean()) / task.grain
    each = one.bytes / one.scale
    if one.level == "record":
        size = one.bytes * (mean if one.by == "bytes" else 1.0) / 8
    elif one.level == "setup" or one.law.name in ("lazy", "steps", "blocks"):
        size = one.bytes / 2000
    elif one.by == "records":
        size = each / task.grain
    else:
        size = each * (mean if one.by == "bytes" else 1.0)
    return int(np.clip(size, _SMALLEST, _LARGEST)) // 8 * 8


def is_ordered(parts: Iterable[Part]) -> bool:
    """Whether records of one group differ, so that their order matters."""
    return any(_differ(part.task.input) for part in parts)


def _differ(given: Input) -> bool:
    assert given.groups is not None
    for each in (given.sizes, given.work, given.damped):
        if each is None:
            continue
        low = np.minimum.reduceat(each, given.starts)
        high = np.maximum.reduceat(each, given.starts)
        if bool((low != high).any()):
            return True
    return False


def write_inputs(parts: Sequence[Part], folder: Path) -> None:
    """Write the input of a job in which each part is a task."""
    folder.mkdir(parents=True)
    if parts[0].task.side == "map":
        written: dict[int, Path] = {}
        for number, part in enumerate(parts):
            target = folder / f"part-{number:04d}.txt"
            earlier = written.get(id(part.task.input))
            if earlier is not None:
                target.hardlink_to(earlier)
                continue
            with target.open("wb") as out:
                out.writelines(_lines(part.task.input, part.task.grain))
            written[id(part.task.input)] = target
        return
    if parts[0].task.shuffling is not None:
        _write_segments(parts, folder)
        return
    ordered = is_ordered(parts)
    with (folder / "groups.txt").open("w", encoding="ascii") as groups:
        for number, part in enumerate(parts):
            groups.writelines(_groups(part, number, len(parts), ordered=ordered))


def _write_segments(parts: Sequence[Part], folder: Path) -> None:
    """A file for each map task, which sends every reducer as much as each of the others does."""
    maps = max(part.task.shuffling.maps for part in parts if part.task.shuffling is not None)
    for one in range(maps):
        with (folder / f"segments-{one}.txt").open("w", encoding="ascii") as out:
            for number, part in enumerate(parts):
                how, given, grain = part.task.shuffling, part.task.input, part.task.grain
                assert how is not None
                assert given.groups is not None
                size = int(how.bytes / given.records / grain)
                for g, length in enumerate(given.groups):
                    edges = [int(length) * grain * n // maps for n in (one, one + 1)]
                    key = f"{g * len(parts) + number:08d}"
                    out.write(f"{key} {edges[1] - edges[0]} {max(size - len(key), 8)} 1,1\n")


def _head(given: Input, i: int) -> str:
    damped = 1.0 if given.damped is None else float(given.damped[i])
    return f"{_plain(float(given.work[i]))},{_plain(damped)}"


def _plain(value: float) -> str:
    return f"{value:.7f}".rstrip("0").rstrip(".")


def _lines(given: Input, grain: int) -> Iterator[bytes]:
    for i in range(given.records):
        head = _head(given, i) + " "
        size = max(round(given.sizes[i] / grain), len(head) + 2)
        line = head.encode("ascii") + b"x" * (size - 1 - len(head)) + b"\n"
        yield line * grain


def _groups(part: Part, number: int, parts: int, *, ordered: bool) -> Iterator[str]:
    given, grain = part.task.input, part.task.grain
    assert given.groups is not None
    for g, (start, length) in enumerate(zip(given.starts, given.groups, strict=True)):
        key = f"{g * parts + number:08d}"
        spent = len(key) + (10 if ordered else 0)
        done = 0
        for first, last in _runs(given, int(start), int(start + length)):
            head = _head(given, first)
            size = max(round(given.sizes[first] / grain) - spent, len(head) + 2)
            count = (last - first) * grain
            yield f"{key} {count} {size} {head}{f' {done}' if ordered else ''}\n"
            done += count


def _runs(given: Input, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Stretches of records that are alike."""
    start = first
    for i in range(first + 1, last + 1):
        if i == last or not _alike(given, start, i):
            yield start, i
            start = i


def _alike(given: Input, one: int, other: int) -> bool:
    same = given.sizes[one] == given.sizes[other] and given.work[one] == given.work[other]
    return bool(same and (given.damped is None or given.damped[one] == given.damped[other]))


def command_of(
    parts: Sequence[Part], jar: Path, folder: Path, output: Path, *, all_of_them: bool = False
) -> tuple[str, ...]:
    """The command that a user would type.

    Args:
        parts: what each task is given.
        jar: with the user code.
        folder: in which the input was written.
        output: folder of the output.
        all_of_them: the job goes on where a task has died.
    """
    task = parts[0].task
    options = f"-Xmx{task.heap_max // MIB}m -XX:+Use{_COLLECTORS[task.collector]}GC"
    side = task.side
    settings = {
        "mapreduce.map.maxattempts": "1",
        "mapreduce.reduce.maxattempts": "1",
        # a second attempt of the same would only take time
        "mapreduce.map.speculative": "false",
        "mapreduce.reduce.speculative": "false",
        "mapreduce.task.timeout": "120000",
        "mapreduce.job.reduce.slowstart.completedmaps": "1.0",
        f"mapreduce.{side}.java.opts": options,
    }
    if side == "map":
        settings["fs.local.block.size"] = str(_BLOCK)
        settings["mapreduce.job.reduces"] = "1" if task.buffer else "0"
        if task.buffer:
            settings["mapreduce.task.io.sort.mb"] = str(max(1, task.buffer // MIB))
    else:
        settings |= {
            "mapreduce.map.java.opts": "-Xmx300m -XX:+UseSerialGC",
            "mapreduce.task.io.sort.mb": "100",
            "mapreduce.job.reduces": str(len(parts)),
            "mapreduce.reduce.shuffle.input.buffer.percent": "0.4",
            "mapreduce.reduce.shuffle.parallelcopies": "1",
        }
        if task.shuffling is not None:
            ratio = repr(task.shuffling.ratio)
            settings["mapreduce.reduce.shuffle.input.buffer.percent"] = ratio
            if all_of_them:  # each has a ratio of its own
                plugin = "com.example.index.ScriptedShuffle"
                settings["mapreduce.job.reduce.shuffle.consumer.plugin.class"] = plugin
    if all_of_them:
        settings[f"mapreduce.{side}.failures.maxpercent"] = "100"
    scripts = [script_of(part, _side_files(folder)) for part in parts]
    if len(set(scripts)) == 1:
        settings["script"] = scripts[0]
    else:
        settings |= {f"script.{number}": text for number, text in enumerate(scripts)}
    given = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    kind = side + ("-ordered" if side == "reduce" and is_ordered(parts) else "")
    words = ("hadoop", "jar", str(jar), "com.example.Scripted", *given)
    return (*words, kind, str(folder), str(output))


def _side_files(folder: Path) -> Path:
    side_files = folder.parent / "cache"
    side_files.mkdir(exist_ok=True)
    return side_files
