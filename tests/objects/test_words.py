"""What a holder's key is, and the words made of it."""

from __future__ import annotations

import msgspec
import pytest
from builders.keys import field_key, local_key, record_key, static_key

from mprof.objects import Holder, HolderKey, PathStep, path_in_words


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (field_key("com.x.WordMapper", "counts"), "field com.x.WordMapper.counts"),
        (field_key("com.Acme.jobs.Job", "counts", "rows"), "field com.Acme.jobs.Job.counts.rows"),
        (field_key("x.Writer"), "field x.Writer"),
        (static_key("com.x.Cache", "MAP"), "static com.x.Cache.MAP"),
        (HolderKey("static", "x.C", fields=("MINE",), thread_local=True),
         "static x.C.MINE (thread-local)"),
        (local_key("x.Sum", "reduce", "java.util.List"), "local x.Sum.reduce java.util.List"),
        (local_key("x.Sum", "reduce", "byte[]", number=2), "local x.Sum.reduce byte[] #2"),
        (HolderKey("written", "x.M", "map", "x.W", ("rows",)), "written x.M.map x.W.rows"),
        (record_key("value"), "record value"),
        (HolderKey("raw_record", fields=("value",)), "record raw value"),
        (HolderKey("record_being_read"), "record being read"),
        (HolderKey("output_buffer", fields=("val$out",)), "buffer output val$out"),
        (HolderKey("unheld", value_class="java.util.ArrayList"), "unheld java.util.ArrayList"),
    ],
)  # fmt: skip
def test_a_key_has_a_text_for_people(key: HolderKey, text: str) -> None:
    assert str(key) == text


def test_keys_are_equal_after_json_and_sort_by_their_text() -> None:
    keys = [
        static_key("x.B", "a"),
        local_key("x.A", "map", "x.V", "f", number=3),
        field_key("x.A", "z"),
    ]
    again = msgspec.json.decode(msgspec.json.encode(keys), type=list[HolderKey])
    assert again == keys
    assert len({*again, *keys}) == 3
    assert [str(key) for key in sorted(keys)] == sorted(str(key) for key in keys)


def _words(key: HolderKey, field_path: str | None, first: str | None = None) -> str:
    path = (PathStep("this", first),) if first else ()
    return path_in_words(
        Holder(key, "user", "group", "java.util.HashMap", 1, field_path=field_path, path=path)
    )


@pytest.mark.parametrize(
    ("key", "field_path", "words"),
    [
        (field_key("x.J$R", "agg", "list"), "this.agg.list", "this.agg.list (J.R.agg.list)"),
        (field_key("x.J$R", "agg", "list"), "x.J$R.agg.list", "this.agg.list (J.R.agg.list)"),
        (
            local_key("x.J", "reduce", "java.util.HashMap", number=2),
            None,
            "local HashMap #2 of J.reduce()",
        ),
        (
            local_key("x.J", "reduce", "x.Index"),
            "local x.Index.rows",
            "local Index.rows of J.reduce()",
        ),
        (local_key("x.J", "reduce", "x.Index", "rows"), None, "local Index.rows of J.reduce()"),
        (local_key("x.J", "map", "x.W$$Lambda", "arg$1"), None, "local W.Lambda.arg$1 of J.map()"),
        (
            local_key("x.J", "reduce", "x.Index", "rows"),
            "local x.Index.rows.table",
            "local Index.rows.table of J.reduce()",
        ),
    ],
)
def test_words_lead_from_the_class_or_the_local_to_the_container(
    key: HolderKey, field_path: str | None, words: str
) -> None:
    assert _words(key, field_path) == words


def test_a_local_whose_own_method_is_at_work_is_named_as_a_local() -> None:
    words = _words(local_key("x.J", "reduce", "x.Index"), "this.rows", first="x.Index")
    assert words == "local Index.rows of J.reduce()"
