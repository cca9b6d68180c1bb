"""Which code a holder's key blames where no frame has it among its locals."""

from __future__ import annotations

import pytest
from builders.keys import field_key, local_key, record_key, static_key

from mprof.evidence import HolderKey
from mprof.patterns.where import where_of_key


@pytest.mark.parametrize(
    ("key", "class_name", "method"),
    [
        (field_key("com.Acme.jobs.Job", "counts"), "com.Acme.jobs.Job", ""),
        (field_key("com.x.words", "counts"), "com.x.words", ""),
        (static_key("scala.tools.Cache$", "MODULE$", "seen"), "scala.tools.Cache$", ""),
        (local_key("com.Acme.jobs.Job", "map", "com.Acme.Rows"), "com.Acme.jobs.Job", "map"),
        (record_key("value"), "record value", ""),
    ],
)
def test_the_class_that_is_blamed_is_the_keys_whatever_its_package_is_called(
    key: HolderKey, class_name: str, method: str
) -> None:
    where = where_of_key(key)
    assert (where.class_name, where.method) == (class_name, method)


def test_a_static_that_no_frame_holds_is_of_the_class_that_declares_it() -> None:
    where = where_of_key(
        static_key("x.Job$Words", "INSTANCE", "seen"), path="static x.Job$Words.INSTANCE.seen"
    )
    assert (where.class_name, where.method) == ("x.Job$Words", "")


def test_the_second_local_of_a_class_keeps_its_name() -> None:
    where = where_of_key(local_key("x.J", "reduce", "java.util.ArrayList", number=2))
    assert (where.class_name, where.method) == ("x.J", "reduce")
    assert where.path == "local java.util.ArrayList #2"
