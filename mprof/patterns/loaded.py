"""What is known to have been loaded, rather than gathered from the data."""

from __future__ import annotations

from mprof.evidence import Evidence, ExternalLoad, HolderKey, Unknown, known

__all__ = ["is_known_load", "loaded_keys"]


def is_known_load(evidence: Evidence, load: ExternalLoad) -> bool:
    """Whether its objects are known to have been loaded.

    Of what came in one step later, a file says so: else it may be a cache that was full early. Of
    what was being loaded when map() or reduce() died, it is known that it was not there before: by
    a probe, or because R_n is the first record.
    """
    if load.when == "once":
        return bool(load.opened)
    if load.when == "setup" or evidence.place == "setup":
        return True
    position = known(evidence.position)
    first = position is not None and position.records <= 1
    return first or not isinstance(evidence.record_growth, Unknown)


def loaded_keys(evidence: Evidence) -> frozenset[HolderKey | None]:
    """Keys of what was loaded, which did not grow with the data."""
    load = known(evidence.external)
    if load is None or not is_known_load(evidence, load):
        return frozenset()
    return frozenset(load.holders)
