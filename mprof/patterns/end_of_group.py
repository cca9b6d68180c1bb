"""Where in its group the attempt was when it died."""

from __future__ import annotations

from mprof.evidence import Evidence, Unknown

__all__ = ["is_last_of_group"]


def is_last_of_group(evidence: Evidence) -> bool | Unknown:
    """Whether R_n is the last record of its group."""
    groups, position = evidence.groups, evidence.position
    if isinstance(groups, Unknown):
        return groups
    if isinstance(position, Unknown):
        return position
    if groups is None:
        return False
    if position.record_in_group is None:
        return Unknown("the record's number in its group", "run")
    if groups.whole is None:
        return Unknown("the records of the whole group", "verify")
    return position.record_in_group >= groups.whole.records
