"""What a holder's key says: class, fields, local; and the words made of it."""

from __future__ import annotations

import pytest

from mprof.evidence.assemble_objects import path_in_words
from mprof.evidence.keys import LocalKey, class_and_fields, local_key
from mprof.objects import Holder, PathStep
from mprof.patterns.where import where_of_key


@pytest.mark.parametrize(
    ("named", "class_name", "fields"),
    [
        ("com.x.Words.counts", "com.x.Words", "counts"),
        ("com.x.Job$Words.INSTANCE.seen", "com.x.Job$Words", "INSTANCE.seen"),
        ("com.x.Words.index.rows", "com.x.Words", "index.rows"),
        ("wordcount$map.index.rows", "wordcount$map", "index.rows"),
        ("scala.tools.Cache$.MODULE$.seen", "scala.tools.Cache$", "MODULE$.seen"),
        ("com.x.words.counts", "com.x.words", "counts"),
    ],
)
def test_a_key_names_the_class_that_declares_the_first_field(
    named: str, class_name: str, fields: str
) -> None:
    assert class_and_fields(named) == (class_name, fields)


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("x.J.reduce java.util.ArrayList", LocalKey("x.J", "reduce", "java.util.ArrayList")),
        (
            "x.J.reduce java.util.ArrayList #2",
            LocalKey("x.J", "reduce", "java.util.ArrayList", "", "#2"),
        ),
        ("x.J.map x.Index.rows.list", LocalKey("x.J", "map", "x.Index", "rows.list")),
        ("x.J.map byte[] #3", LocalKey("x.J", "map", "byte[]", "", "#3")),
    ],
)
def test_a_local_is_told_by_frame_class_and_number(rest: str, expected: LocalKey) -> None:
    assert local_key(rest) == expected


def _words(key: str, field_path: str | None, first: str | None = None) -> str:
    path = (PathStep("this", first),) if first else ()
    return path_in_words(
        Holder(key, "user", "group", "java.util.HashMap", 1, field_path=field_path, path=path)
    )


@pytest.mark.parametrize(
    ("key", "field_path", "words"),
    [
        ("field x.J$R.agg.list", "this.agg.list", "this.agg.list (J.R.agg.list)"),
        ("field x.J$R.agg.list", "x.J$R.agg.list", "this.agg.list (J.R.agg.list)"),
        ("local x.J.reduce java.util.HashMap #2", None, "local HashMap #2 of J.reduce()"),
        ("local x.J.reduce x.Index", "local x.Index.rows", "local Index.rows of J.reduce()"),
        ("local x.J.reduce x.Index.rows", None, "local Index.rows of J.reduce()"),
        ("local x.J.map x.W$$Lambda.arg$1", None, "local W.Lambda.arg$1 of J.map()"),
        (
            "local x.J.reduce x.Index.rows",
            "local x.Index.rows.table",
            "local Index.rows.table of J.reduce()",
        ),
    ],
)
def test_words_lead_from_the_class_or_the_local_to_the_container(
    key: str, field_path: str | None, words: str
) -> None:
    assert _words(key, field_path) == words


def test_a_local_whose_own_method_is_at_work_is_named_as_a_local() -> None:
    words = _words("local x.J.reduce x.Index", "this.rows", first="x.Index")
    assert words == "local Index.rows of J.reduce()"


def test_a_static_that_no_frame_holds_is_of_the_class_that_declares_it() -> None:
    where = where_of_key(
        "static x.Job$Words.INSTANCE.seen", path="static x.Job$Words.INSTANCE.seen"
    )
    assert (where.class_name, where.method) == ("x.Job$Words", "")


def test_the_second_local_of_a_class_keeps_its_name() -> None:
    where = where_of_key("local x.J.reduce java.util.ArrayList #2")
    assert (where.class_name, where.method) == ("x.J", "reduce")
    assert where.path == "local java.util.ArrayList #2"
