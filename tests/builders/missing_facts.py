"""Evidence with less in it: every fact and every part of a fact that need not be known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from mprof.evidence import Evidence, Unknown
from mprof.rules import Fires, Silent, Verdict
from mprof.rules.deference import DEFERENCES

__all__ = ["FACTS", "MISSING", "denied_causes", "removals"]

MISSING = Unknown("something", "rerun")

FACTS = [
    "place", "position", "composition", "holders", "stack", "record_growth", "external",
    "progress", "split", "map_buffer", "shuffle", "partitions", "groups", "records",
    "verification", "reducers",
]  # fmt: skip

# Members of which None says that nothing counted or told them.
_NONE_IS_UNKNOWN = {
    "attempt": ("task_type", "collector"),
    "position": ("record", "group", "record_in_group"),
    "shuffle": ("held_bytes",),
    "split": ("splittable",),
    "groups": ("largest", "counted"),
    "records": ("ordinal",),
}
_OF_A_HOLDER = ("lifecycle", "length", "element_class", "site", "loaded_before_first_record")

Removal = Callable[[Evidence], Evidence]


def removals(evidence: Evidence) -> dict[str, Removal]:
    """What can be taken away from the evidence, by name; each may follow any other."""
    found: dict[str, Removal] = {}
    for name in FACTS:
        if not isinstance(getattr(evidence, name), Unknown):
            found[name] = _without(name)
    for name in ("attempt", "memory", *FACTS):
        for member, missing in _members(name, getattr(evidence, name)):
            found[f"{name}.{member}"] = _without_member(name, member, missing)
    for member in _OF_A_HOLDER:
        # In cleanup() no lifecycle says that a local of cleanup() holds it: it is no gap.
        if member != "lifecycle" or evidence.place != "cleanup":
            found[f"holders.{member}"] = _without_in_holders(member)
    found["groups.current.bytes"] = _without_bytes_of_the_group
    for source in sorted({one.source for one in evidence.series}):
        found[f"series of {source}"] = _without_series(source)
    return found


def _members(name: str, fact: Any) -> list[tuple[str, Unknown | None]]:
    if not is_dataclass(fact) or isinstance(fact, Unknown):
        return []
    found: list[tuple[str, Unknown | None]] = [
        (each.name, MISSING) for each in fields(fact) if "Unknown" in str(each.type)
    ]
    found += [(member, None) for member in _NONE_IS_UNKNOWN.get(name, ())]
    return [
        (member, missing)
        for member, missing in found
        if getattr(fact, member) is not None and not isinstance(getattr(fact, member), Unknown)
    ]


def _without(name: str) -> Removal:
    return lambda evidence: replace(evidence, **{name: MISSING})  # type: ignore[arg-type]


def _without_member(name: str, member: str, missing: Unknown | None) -> Removal:
    def remove(evidence: Evidence) -> Evidence:
        fact = getattr(evidence, name)
        if fact is None or isinstance(fact, Unknown):
            return evidence
        return replace(evidence, **{name: replace(fact, **{member: missing})})

    return remove


def _without_in_holders(member: str) -> Removal:
    def remove(evidence: Evidence) -> Evidence:
        if isinstance(evidence.holders, Unknown):
            return evidence
        less = tuple(replace(one, **{member: None}) for one in evidence.holders)  # type: ignore[arg-type]
        return replace(evidence, holders=less)

    return remove


def _without_bytes_of_the_group(evidence: Evidence) -> Evidence:
    groups = evidence.groups
    if groups is None or isinstance(groups, Unknown) or groups.current is None:
        return evidence
    return replace(evidence, groups=replace(groups, current=replace(groups.current, bytes=None)))


def _without_series(source: str) -> Removal:
    return lambda evidence: replace(
        evidence, series=tuple(one for one in evidence.series if one.source != source)
    )


def denied_causes(whole: dict[str, Verdict], verdicts: dict[str, Verdict]) -> dict[str, str]:
    """Causes that are denied of less evidence, but for those that gave way to one that now fires.

    Which may give way to which is the table of deferences. A rule that refers its question to
    another, which does not deny it, has not denied it either.
    """
    now = {
        cause
        for cause, one in verdicts.items()
        if isinstance(one, Fires) and not isinstance(whole[cause], Fires)
    }
    found = {}
    for cause, silent in verdicts.items():
        if isinstance(whole[cause], Fires) and isinstance(silent, Silent):
            rows = [row for row in DEFERENCES if row.rule == cause]
            others = {other for row in rows for other in (*row.to, *row.referrers)}
            asked = any(not isinstance(verdicts[one], Silent) for one in silent.refers_to)
            if not now & others and not asked:
                found[cause] = silent.why
    return found
