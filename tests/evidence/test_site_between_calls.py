"""A death between two calls of map(): no user frame stands on the stack."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.keys import field_key, local_key, static_key

from mprof.code_site import CodeSite
from mprof.evidence.assemble.holders import holders_of, with_called_methods
from mprof.evidence.facts import Holder as FactHolder
from mprof.objects import HeapObjects, Holder, HolderKey, SnapshotPoint

MIB = 1024 * 1024
CALLED = {"com.x.Remember": "map"}


def _death(key: HolderKey, lifecycle: str) -> HeapObjects:
    holder = Holder(
        key=key,
        owner="user",
        lifecycle=lifecycle,  # type: ignore[arg-type]
        class_name="java.util.HashMap",
        bytes=40 * MIB,
    )
    return HeapObjects(
        point=SnapshotPoint(name="oom", at_death=True),
        side="map",
        place="map",
        live_bytes=60 * MIB,
        live_objects=1,
        owners=(),
        framework=(),
        holders=(holder,),
        thread="main",
        oom_thread="main",
        frames=(),
        lifecycles=(),
    )


def _called(death: HeapObjects) -> tuple[FactHolder, ...]:
    return with_called_methods(holders_of(death, (), in_setup=False), CALLED)


def test_a_field_of_the_mapper_is_the_method_that_is_called_for_each_record() -> None:
    (holder,) = _called(_death(field_key("com.x.Remember", "counts"), "map"))

    assert holder.site is not None
    assert ("com.x.Remember", "map", None) == (
        holder.site.class_name,
        holder.site.method,
        holder.site.line,
    )


def test_the_field_is_named_as_within_a_call() -> None:
    death = _death(field_key("com.x.Remember", "counts"), "map")
    found = replace(death.holders[0], field_path="com.x.Remember.counts")

    (holder,) = _called(replace(death, holders=(found,)))

    assert holder.path == "this.counts (Remember.counts)"


@pytest.mark.parametrize(
    ("key", "lifecycle"),
    [
        (field_key("com.x.Helper", "cache"), "map"),
        (static_key("com.x.Remember", "CACHE"), "map"),
        (local_key("com.x.Remember", "map", "java.util.ArrayList"), "record"),
    ],
)
def test_nothing_is_said_of_what_is_no_field_of_the_mapper(key: HolderKey, lifecycle: str) -> None:
    (holder,) = _called(_death(key, lifecycle))

    assert holder.site is None


def test_a_package_with_a_capital_is_no_class() -> None:
    key = field_key("com.Acme.jobs.Remember", "counts")

    (holder,) = with_called_methods(
        holders_of(_death(key, "map"), (), in_setup=False), {"com.Acme.jobs.Remember": "map"}
    )

    assert holder.site == CodeSite("com.Acme.jobs.Remember", "map")
    assert holder.path == "counts (Remember.counts)"
