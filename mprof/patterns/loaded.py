"""What is known to have been loaded, rather than gathered from the data."""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, ExternalLoad, HolderKey, Unknown, known

__all__ = ["known_load", "loaded_keys"]


def known_load(evidence: Evidence, load: ExternalLoad) -> ExternalLoad:
    """What of it is known to have been loaded; no object where nothing is.

    Of what came in one step later, a file says so that may have been opened since the first record:
    else it may be a cache that was full early, and only what stood there before is known. Of what
    was being loaded when map() or reduce() died, it is known that it was not there before: by a
    probe, or because R_n is the first record.
    """
    if load.when == "once":
        if any(not one.before_data for one in load.opened):
            return load
        held = (one for one in evidence.held if one.key in load.holders)
        before = tuple(one for one in held if one.loaded_before_first_record)
        size, keys = sum(one.bytes for one in before), tuple(one.key for one in before)
        return replace(load, bytes=size, holders=keys, when="setup")
    if load.when == "setup" or evidence.place == "setup":
        return load
    position = known(evidence.position)
    first = position is not None and position.records <= 1
    not_before = first or not isinstance(evidence.record_growth, Unknown)
    return load if not_before else replace(load, bytes=0, holders=())


def loaded_keys(evidence: Evidence) -> frozenset[HolderKey | None]:
    """Keys of what was loaded, which did not grow with the data."""
    load = known(evidence.external)
    return frozenset(known_load(evidence, load).holders if load is not None else ())
