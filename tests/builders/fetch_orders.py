"""A recorded capture as it would be, had its reducers fetched the same segments in another order.

What must hold, holds: every segment keeps its bytes and goes to memory or disk by its size, a
fetch is reserved before it is done, times and sequence numbers rise, what the shuffle holds is
what it has reserved and not given back, a merge takes the segments that are there, and the heap
at death holds the segments that had come. What depends on the order, changes: which map's segment
came when and by which fetcher, how many were in flight at once, what each merge took, which
segment met the full heap. And the values of a group come in another order, so that another of its
records is the one in flight.

From the documents alone (``docs/reference/event-log.md``, ``position-file.md``): nothing of mprof
is used.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.builders.attempts import SLOTS

__all__ = ["fetch_order", "refetched"]

Values = dict[str, Any]

_MEANWHILE = ("shuffle_used", "shuffle_in_flight", "shuffle_merging", "fetched_bytes")
_FETCHER = re.compile(r"fetcher#(\d+)")
_SLOTS_AT = 64
_AS_FULL = 0.99
"""A heap that dies of the fifth segment dies there in any order, if as much had been reserved."""


def refetched(evidence: Path, target: Path, seed: int | None, *, other_records: bool) -> None:
    """Copy a capture, every reduce attempt of it with its fetches in another order.

    Args:
        evidence: the recorded capture.
        target: a folder that does not exist yet.
        seed: of the order; None keeps every order, and then every byte that counts.
        other_records: draw another record of the group as the one in flight at the death; not
            where the case is about that very record.
    """
    shutil.copytree(evidence, target)
    for job in sorted(target.glob("runs/*/jobs/*")):
        sizes = _segment_sizes(job)
        for attempt in sorted(job.glob("attempts/*_r_*")):
            if (attempt / "events.jsonl").is_file():
                chance = random.Random(f"{seed} {attempt.name}") if seed is not None else None
                _refetch(attempt, sizes, chance, other_records=other_records)


def fetch_order(attempt: Path) -> list[str]:
    """The maps in the order in which their segments came, as the log tells."""
    return [e["map"] for e in _events(attempt) if e["type"] == "fetch" and e["edge"] == "done"]


# -- one attempt ---------------------------------------------------------------------------------


def _refetch(
    attempt: Path,
    sizes: Mapping[int, Mapping[str, int]],
    chance: random.Random | None,
    *,
    other_records: bool,
) -> None:
    events = _events(attempt)
    limits = next((e for e in events if e["type"] == "shuffle_limits"), None)
    fetches = [e for e in events if e["type"] == "fetch"]
    if limits is None or not fetches:
        return
    partition = int(attempt.name.split("_")[4])
    raw = {**sizes.get(partition, {}), **{e["map"]: e["raw_bytes"] for e in fetches}}
    sent = {e["map"]: e["compressed_bytes"] for e in fetches if "compressed_bytes" in e}
    shuffle = _Shuffle(raw, limits["max_single_segment"], sent)
    died = any(e["edge"] == "fail" for e in fetches)
    maps = _other_maps(shuffle, events, chance, died=died)
    old = shuffle.states(events)
    renamed = _renamed_fetchers(limits["fetchers"], chance)
    steps = _steps(events, maps)
    threads: list[str] | None = None
    if not died and chance is not None:
        steps = _overlapping(steps, limits["fetchers"], chance)
        threads = _free_fetchers(steps, limits["fetchers"], chance)
    new_events = _with_steps(events, steps, shuffle, threads, renamed)
    new = shuffle.states(new_events)
    place = 0
    for event, was in zip(new_events, events, strict=True):
        place += event["type"] in {"fetch", "shuffle_merge"}
        if "at" in was:
            shift = _shifted(event["at"], old, new, place)
            if event["type"] == "memory" and event["at"].get("phase") == "shuffle":
                for name in ("used_before", "used_after", "old_used_after"):
                    event[name] += shift
    position = _Position(attempt / "position.bin")
    _shifted(position, old, new, place)
    if other_records and chance is not None:
        _another_record(new_events, position, chance)
    (attempt / "events.jsonl").write_text(
        "".join(json.dumps(e, separators=(",", ":")) + "\n" for e in new_events), encoding="utf-8"
    )
    position.write()
    for snapshot in attempt.glob("snapshot-*.json"):
        _reheld(snapshot, maps, raw, renamed)
    for log in ("syslog", "stderr"):
        if (attempt / log).is_file():
            text = (attempt / log).read_text(encoding="utf-8")
            (attempt / log).write_text(_FETCHER.sub(lambda m: renamed[m[0]], text), "utf-8")


def _events(attempt: Path) -> list[Values]:
    lines = (attempt / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _segment_sizes(job: Path) -> dict[int, dict[str, int]]:
    """Raw bytes by partition and map attempt, as each map task says at its end."""
    sizes: dict[int, dict[str, int]] = {}
    for attempt in sorted(job.glob("attempts/*_m_*")):
        for event in _events(attempt) if (attempt / "events.jsonl").is_file() else ():
            if event["type"] == "map_output":
                for index, bytes_ in enumerate(event["partitions"]["raw_bytes"]):
                    sizes.setdefault(index, {})[attempt.name] = bytes_
    return sizes


@dataclass
class _State:
    """What the shuffle holds after a step, by the slots of the position."""

    shuffle_used: int = 0
    shuffle_in_flight: int = 0
    shuffle_merging: int = 0
    fetched_bytes: int = 0


@dataclass
class _Shuffle:
    """The books of the shuffle's memory manager, kept over the steps of a log."""

    raw: Mapping[str, int]
    max_single_segment: int
    sent: Mapping[str, int]

    def to(self, map_: str) -> str:
        return "disk" if self.raw[map_] > self.max_single_segment else "memory"

    def in_memory(self, map_: str) -> int:
        return self.raw[map_] if self.to(map_) == "memory" else 0

    def states(
        self, events: Iterable[Values], others: Mapping[str, str] | None = None
    ) -> list[_State]:
        """The books before the first step and after each: fetches and merges, in order."""
        maps = others or {each: each for each in self.raw}
        at, reserved, states = _State(), set[str](), [_State()]
        for event in events:
            if event["type"] == "fetch":
                map_ = maps[event["map"]]
                held = self.in_memory(map_)
                if event["edge"] == "reserve":
                    reserved.add(map_)
                    at.shuffle_used += held
                    at.shuffle_in_flight += held
                elif event["edge"] == "done":
                    at.shuffle_in_flight -= held
                    at.fetched_bytes += self.raw[map_]
                elif map_ not in reserved:  # its array could not be made: reserved all the same
                    at.shuffle_used += held
            elif event["type"] == "shuffle_merge" and event["kind"] == "memory":
                merged = sum(self.raw[maps[each]] for each in event["maps"])
                at.shuffle_merging += merged if event["edge"] == "begin" else -merged
                at.shuffle_used -= 0 if event["edge"] == "begin" else merged
            elif event["type"] != "shuffle_merge":
                continue
            states.append(_State(**vars(at)))
        return states


def _other_maps(
    shuffle: _Shuffle, events: Sequence[Values], chance: random.Random | None, *, died: bool
) -> dict[str, str]:
    """Whose segment takes the place of whose."""
    every = sorted(shuffle.raw)
    if chance is None:
        return {each: each for each in every}
    recorded = shuffle.states(events)[-1].shuffle_used
    while True:
        maps = dict(zip(every, chance.sample(every, len(every)), strict=True))
        reserved = shuffle.states(events, maps)[-1].shuffle_used
        if not died or recorded * _AS_FULL <= reserved <= recorded / _AS_FULL:
            return maps


@dataclass
class _Step:
    edge: str
    map: str


def _steps(events: Iterable[Values], maps: Mapping[str, str]) -> list[_Step | None]:
    """The fetches with their new maps; None where a merge stands."""
    return [
        _Step(e["edge"], maps[e["map"]]) if e["type"] == "fetch" else None
        for e in events
        if e["type"] in {"fetch", "shuffle_merge"}
    ]


def _overlapping(
    steps: list[_Step | None], fetchers: int, chance: random.Random
) -> list[_Step | None]:
    """The same fetches, several of them at once, each stretch between merges for itself."""
    found: list[_Step | None] = []
    stretch: list[_Step] = []
    for step in (*steps, None):
        if step is not None:
            stretch.append(step)
            continue
        waiting = [each.map for each in stretch if each.edge == "reserve"]
        flying: list[str] = []
        while waiting or flying:
            if waiting and len(flying) < fetchers and (not flying or chance.random() < 0.5):
                flying.append(waiting.pop(0))
                found.append(_Step("reserve", flying[-1]))
            else:
                found.append(_Step("done", flying.pop(chance.randrange(len(flying)))))
        stretch = []
        found.append(None)
    return found[:-1]


def _free_fetchers(
    steps: Iterable[_Step | None], fetchers: int, chance: random.Random
) -> list[str]:
    """One a fetch step: a fetcher that was idle takes the next segment."""
    idle = [f"fetcher#{number}" for number in range(1, fetchers + 1)]
    busy: dict[str, str] = {}
    found: list[str] = []
    for step in steps:
        if step is None:
            continue
        if step.edge == "reserve":
            busy[step.map] = idle.pop(chance.randrange(len(idle)))
            found.append(busy[step.map])
        else:
            idle.append(busy.pop(step.map))
            found.append(idle[-1])
    return found


def _renamed_fetchers(fetchers: int, chance: random.Random | None) -> dict[str, str]:
    names = [f"fetcher#{number}" for number in range(1, fetchers + 1)]
    others = names if chance is None else chance.sample(names, len(names))
    return dict(zip(names, others, strict=True))


def _with_steps(
    events: Sequence[Values],
    steps: Sequence[_Step | None],
    shuffle: _Shuffle,
    threads: Sequence[str] | None,
    renamed: Mapping[str, str],
) -> list[Values]:
    """The log with the new steps where the recorded ones stood; times and numbers stay."""
    found: list[Values] = []
    left, names = iter(steps), iter(threads or ())
    there: list[str] = []  # segments in memory, in the order in which they came
    reserved: dict[str, None] = {}
    used = 0
    for event in events:
        event = json.loads(json.dumps(event))
        if event["type"] == "fetch":
            step = next(left)
            assert step is not None
            held = shuffle.in_memory(step.map)
            if step.edge == "reserve" or step.map not in reserved:
                used += held
            reserved[step.map] = None
            if step.edge == "done" and held:
                there.append(step.map)
            members = {"v": event["v"], "t": event["t"], "type": "fetch", "edge": step.edge,
                       "map": step.map, "raw_bytes": shuffle.raw[step.map],
                       "to": shuffle.to(step.map), "used": used}  # fmt: skip
            members["thread"] = next(names) if threads else renamed[event["thread"]]
            if step.edge == "done":
                # of one that was not fetched in the recording, what an IFile has without a codec
                members["compressed_bytes"] = shuffle.sent.get(step.map, shuffle.raw[step.map] + 4)
            if step.edge == "fail":
                reserved.pop(step.map)  # it is reserved anew when it is tried again
            found.append({**members, "n": event["n"]})
            continue
        if event["type"] == "shuffle_merge":
            next(left)
            _of_merge(event, there, reserved, shuffle)
        elif event["type"] == "failure" and event["thread"] in renamed:
            event["thread"] = renamed[event["thread"]]
        found.append(event)
    return found


def _of_merge(
    event: Values, there: list[str], reserved: Mapping[str, None], shuffle: _Shuffle
) -> None:
    """A merge takes the memory segments that are there, the one being committed too, by size.

    (``MergeManagerImpl`` keeps them in a ``TreeSet`` with the comparator of ``MapOutput``.)
    """
    if event["kind"] != "memory" or event["edge"] != "begin":
        return
    missing = event["segments"] - len(there)
    flying = [each for each in reserved if each not in there and shuffle.in_memory(each)]
    taken = sorted(there + flying[:missing], key=lambda each: shuffle.raw[each])
    event["maps"] = taken
    event["raw_bytes"] = sum(shuffle.raw[each] for each in taken)
    there.clear()


# -- what stood at the same time -----------------------------------------------------------------


def _shifted(
    at: Values | _Position, old: Sequence[_State], new: Sequence[_State], place: int
) -> int:
    """Bring the slots of a position to the new order; by how much more the shuffle holds.

    A sample of the position is up to 50 ms old: each slot is of the step nearest to its event
    after which it had that value. Of a shuffle that is over, nothing depends on its order.
    """
    shift = 0
    if at.get("phase") != "shuffle":
        return 0
    for slot in _MEANWHILE:
        value = at.get(slot)
        if value is None:
            continue
        steps = [step for step, state in enumerate(old) if getattr(state, slot) == value]
        assert steps, f"{slot} = {value} after no step of the log"
        step = min(steps, key=lambda each: abs(each - place))
        at[slot] = getattr(new[step], slot)
        if slot == "shuffle_used":
            shift = at[slot] - value
    return shift


@dataclass
class _Position:
    """The slots of a position file that change, by name; ``phase`` by its name too."""

    path: Path
    data: bytearray = field(init=False)

    _PHASES = ("start", "init", "setup", "map", "flush", "merge", "shuffle", "sort",
               "reduce_setup", "reduce", "cleanup", "commit", "end")  # fmt: skip

    def __post_init__(self) -> None:
        self.data = bytearray(self.path.read_bytes())

    def get(self, name: str) -> Any:
        (value,) = struct.unpack_from("<q", self.data, _SLOTS_AT + 8 * SLOTS.index(name))
        if name == "phase":
            return self._PHASES[value]
        return None if value == -1 else value

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: int) -> None:
        struct.pack_into("<q", self.data, _SLOTS_AT + 8 * SLOTS.index(name), value)

    def write(self) -> None:
        self.path.write_bytes(self.data)


def _reheld(
    snapshot: Path, maps: Mapping[str, str], raw: Mapping[str, int], renamed: Mapping[str, str]
) -> None:
    """The heap with the segments that were there in the new order, as large as those are."""
    heap = json.loads(snapshot.read_text(encoding="utf-8"))
    shift = 0
    for part in heap["framework"]:
        if not part["part"].startswith("shuffle_") or heap["place"] != "shuffle":
            continue
        for segment in part["segments"]:
            was = segment["map_attempt"]
            if was in maps:
                # the array has a header, and objects end at multiples of 8
                more = (raw[maps[was]] - raw[was] + 7) // 8 * 8
                segment.update(map_attempt=maps[was], bytes=segment["bytes"] + more)
                part["bytes"] += more
                shift += more
    heap["live_bytes"] += shift
    for owner in heap["owners"]:
        owner["bytes"] += shift if owner["owner"] == "framework" else 0
    for name in ("thread", "oom_thread"):
        heap[name] = renamed.get(heap.get(name) or "", heap.get(name))
    snapshot.write_text(json.dumps(heap), encoding="utf-8")


def _another_record(events: Sequence[Values], position: _Position, chance: random.Random) -> None:
    """Another record of the group is in flight: one of those before it, by their sizes."""
    if position.get("phase") != "reduce" or (position["record_in_group"] or 0) < 2:
        return
    newest = next((e for e in reversed(events) if e["type"] == "records"), None)
    if newest is None or newest["scope"] != "reduce":
        return
    buckets = newest["bytes"]["buckets"]
    bucket = chance.choices(buckets, weights=[count for _, count in buckets])[0]
    gamma = newest["bytes"]["gamma"]
    size = round(2 * gamma ** bucket[0] / (gamma + 1))
    was, digest = position["record_bytes"], chance.getrandbits(62)
    position["record_bytes"], position["record_digest"] = size, digest
    for record in _records_in_flight(events, was):
        record.update(bytes=size, digest=f"{digest:016x}")
    sketch = newest["bytes"]
    bucket[1] -= 1  # it changes places with the one that was in flight
    sketch["buckets"] = [each for each in buckets if each[1]]
    index = next((i for i in range(2000) if gamma**i >= max(was, 1)), 0)
    same = next((each for each in sketch["buckets"] if each[0] == index), None)
    if same is not None:
        same[1] += 1
    else:
        sketch["buckets"] = sorted([*sketch["buckets"], [index, 1]])
    sketch.update(
        min=min(sketch["min"], was), max=max(sketch["max"], was), sum=sketch["sum"] + was - size
    )


def _records_in_flight(events: Iterable[Values], size: int) -> Iterator[Values]:
    for event in events:
        name = {"failure": "record", "records": "current"}.get(event["type"])
        record = event.get(name) if name else None
        if record is not None and record.get("bytes") == size:
            yield record
