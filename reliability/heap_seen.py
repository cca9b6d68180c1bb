"""The heap at death: its holders, whose they are, and what was loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mprof.evidence import (
    CodeSite,
    Composition,
    Evidence,
    ExternalLoad,
    Holder,
    HolderKey,
    Memory,
    OpenedFile,
    Peak,
    Unknown,
)
from mprof.evidence.thresholds import FILE_INFLATION, GIVEN_UP, LARGE_OBJECT, LEAST_HOLDER
from reliability.collections_seen import Collections
from reliability.model import Consumer
from reliability.scene import JOB, Scene, class_of, whole
from reliability.stack_seen import stack_of

__all__ = ["HeapSide", "too_small"]


class HeapSide:
    """What the dump at death and the collections before it tell."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.task, self.course = scene, scene.task, scene.course
        self.end, self.held = scene.end, scene.held

    def added_to(self, evidence: Evidence) -> Evidence:
        task, end = self.task, self.end
        holders = self.holders()
        live = whole(end.live)
        full = live >= GIVEN_UP.value * task.heap_max
        majors, passive = Collections(self.scene).seen()
        memory = Memory(
            heap_max_bytes=task.heap_max,
            usable_bytes=live if full else task.heap_max,
            live_bytes_at_death=live,
            largest_block_bytes=task.block,
            container_bytes=task.container,
        )
        if majors.in_group is not None:
            memory = replace(memory, live_bytes_before_record=majors.in_group)
        return replace(
            evidence,
            memory=memory,
            peak=Peak(live, at_most=False, records=self.scene.record or None,
                      records_in_all=self.scene.record or None),
            composition=self.composition(holders),
            holders=holders,
            stack=stack_of(self.scene),
            series=passive,
            record_growth=Unknown("heap sizes at earlier records", "rerun"),
            external=self._external(holders, majors.lowest),
            death_snapshot="death",
        )  # fmt: skip

    def holders(self) -> tuple[Holder, ...]:
        end, task = self.end, self.task
        in_setup = end.place == "setup"
        found: list[Holder] = []
        for i, one in enumerate(task.consumers):
            size = whole(self.held[i])
            if size < LEAST_HOLDER.value:
                continue
            mine = one.owner == "user"
            owner: Any = "external" if mine and in_setup else one.owner
            found.append(
                Holder(
                    self.scene.key(one), owner, self.scene.lifecycle(one), class_of(one),
                    self._path(one), size,
                    site=self._site(one),
                    length=self._length(one),
                    doubling=self._doubles(i),
                    loaded_before_first_record=True if mine and in_setup else None,
                )
            )  # fmt: skip
        if end.flight and end.step:
            key = HolderKey("record", "org.apache.hadoop.mapred.MapTask", fields=("value",))
            found.append(
                Holder(key, "record_in_flight", "record", "org.apache.hadoop.io.Text",
                       "the record in flight", whole(end.flight))
            )  # fmt: skip
        return tuple(sorted(found, key=lambda each: -each.bytes))

    def _doubles(self, i: int) -> bool:
        end = self.end
        return (
            end.array
            and end.step > 0
            and self.task.consumers[i].law.name == "doubling"
            and (
                self.held[i] >= self.held.max()
                or self.course.during[i, end.step] > 1.001 * self.course.after[i, end.step]
            )
        )

    def _length(self, one: Consumer) -> int | None:
        """Elements: one for each record or group where it grows evenly, else some."""
        end = self.end
        if end.step and one.level in ("map", "reduce") and one.law.name in ("linear", "doubling"):
            return self.scene.group_index + 1 if one.by == "groups" else self.scene.record
        if end.step and one.level == "group" and one.law.name in ("linear", "doubling"):
            return self.scene.record_in_group
        return None

    def _path(self, one: Consumer) -> str:
        key = self.scene.key(one)
        if key.kind == "local":
            return f"local {one.name}"
        return f"this.{one.name} ({key.class_name.rpartition('.')[2]}.{one.name})"

    def _site(self, one: Consumer) -> CodeSite | None:
        if one.owner == "library":
            return None
        if one.owner in ("writer", "reader"):
            method = "write" if one.owner == "writer" else "nextKeyValue"
            return CodeSite(self.scene.key(one).class_name, method, None, 77)
        end = self.end
        method = "setup" if end.place == "setup" else self.task.side
        return CodeSite(JOB, method, "Job.java", 42)

    def composition(self, holders: Sequence[Holder]) -> Composition:
        """Live bytes by owner; what rounding leaves is the virtual machine's."""
        task, end = self.task, self.end
        held = dict.fromkeys(("user", "writer", "reader", "library"), 0.0)
        for i, one in enumerate(task.consumers):
            held[one.owner] += self.held[i]
        own = {owner: whole(size) for owner, size in held.items()}
        external = sum(each.bytes for each in holders if each.owner == "external")
        buffer = task.buffer if end.place != "init" else 0
        shuffled = whole(end.shuffled)
        framework = whole(0.4 * task.base) + buffer + shuffled
        flight = whole(end.flight) if end.step else 0
        external = min(external, own["user"])
        other = whole(end.live) - framework - flight - sum(own.values())
        return Composition(
            framework_bytes=framework,
            record_bytes=flight,
            external_bytes=external,
            user_bytes=own["user"] - external,
            other_bytes=other,
            shuffle_bytes=shuffled,
            writer_bytes=own["writer"],
            reader_bytes=own["reader"],
            library_bytes=own["library"],
        )

    def _external(self, holders: Sequence[Holder], lowest: int | None) -> Any:
        end = self.end
        if end.place in ("init", "shuffle"):
            return None
        user = [each for each in holders if each.owner in ("user", "external")]
        if end.place == "setup":
            return self.load(user, "loading")
        loading = self.loading_files()
        if loading is not None:
            new = [each for each in user if not too_small(loading, each.bytes)]
            lasting = [each for each in new if each.lifecycle not in ("record", "group")]
            if new:
                return self.load(lasting or new, "loading", loading)
        sizes = [each.bytes for each in user if each.lifecycle not in ("record", "group")]
        if max(sizes, default=0) < LARGE_OBJECT.value:
            return None
        if lowest is not None:
            return ExternalLoad(lowest, (), "setup", self.opened(), "passive")
        return Unknown("the heap before the first record", "rerun")

    def loading_files(self) -> tuple[OpenedFile, ...] | None:
        """Files that were opened while R_n was worked on, where none was before."""
        end = self.end
        lazy = [
            (i, one) for i, one in enumerate(self.task.consumers)
            if one.law.name == "lazy" and one.file is not None and one.seen
        ]  # fmt: skip
        begun = [one for i, one in lazy if self.held[i] > 0]
        if not begun or end.step == 0:
            return None
        if any(self.course.after[i, end.step - 1] > 0 for i, _ in lazy):
            return None
        return tuple(OpenedFile(*one.file) for one in begun if one.file is not None)

    def opened(self) -> tuple[OpenedFile, ...]:
        """Files it has opened, or may have."""
        files = []
        for i, one in enumerate(self.task.consumers):
            if one.file is not None and (self.held[i] > 0 or not one.seen):
                before = one.seen and one.level == "setup"
                files.append(OpenedFile(*one.file, seen=one.seen, before_data=before))
        return tuple(files)

    def load(
        self, holders: Sequence[Holder], when: Any, opened: tuple[OpenedFile, ...] | None = None
    ) -> ExternalLoad:
        """What was loaded, and from what."""
        size = sum(each.bytes for each in holders)
        files = self.opened() if opened is None else opened
        files = () if too_small(files, size) else files
        return ExternalLoad(size, tuple(each.key for each in holders), when, files)


def too_small(files: Sequence[OpenedFile], held: float) -> bool:
    """Whether what is held cannot be what these files became."""
    lengths = [each.length_bytes or 0 for each in files]
    return bool(files) and held > FILE_INFLATION.value * sum(lengths)
