"""A case at another scale: the same job with other settings, and more or less input."""

from __future__ import annotations

import msgspec

from mprof.catalogue.case import Case
from mprof.errors import UsageError

__all__ = ["at_scale", "with_input"]


def at_scale(case: Case, name: str) -> Case:
    """The case with the input and the settings of one of its scales.

    Raises:
        UsageError: if it has no scale of that name.
    """
    scale = case.scale.get(name)
    if scale is None:
        raise UsageError(
            f"{case.slug} has no scale {name!r}",
            next_step=f"add a table [scale.{name}] to its case.toml, "
            "or list the scales with: mprof cases list --json",
        )
    job = msgspec.structs.replace(case.job, settings={**case.job.settings, **scale.settings})
    return with_input(msgspec.structs.replace(case, job=job), size_bytes=scale.bytes)


def with_input(case: Case, *, size_bytes: int) -> Case:
    """The case with generated input of about this size.

    Raises:
        UsageError: if that is not a positive number.
    """
    if size_bytes <= 0:
        raise UsageError(
            f"the size of the input is {size_bytes} bytes", next_step="use a positive number"
        )
    size = msgspec.structs.replace(case.input, bytes=size_bytes)
    return msgspec.structs.replace(case, input=size)
