"""Configurations: names of all ages, variables, secrets, damaged files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from builders.shared_data import SHARED_DATA, needs_shared_data

from mprof.errors import EvidenceError
from mprof.history import JobConf, parse_conf, read_conf
from mprof.history.conf import MASK
from mprof.units import MIB

SHARED = SHARED_DATA / "jhist"


def _xml(**properties: str) -> bytes:
    rows = "".join(
        f"<property><name>{name.replace('__', '.')}</name><value>{value}</value></property>"
        for name, value in properties.items()
    )
    return f'<?xml version="1.0"?><configuration>{rows}</configuration>'.encode()


def _conf(**properties: str) -> JobConf:
    return JobConf({name.replace("__", "."): value for name, value in properties.items()})


def test_an_old_name_answers_to_the_new_one_and_the_other_way_round() -> None:
    assert _conf(io__sort__mb="200").get_int("mapreduce.task.io.sort.mb") == 200
    assert _conf(mapreduce__task__io__sort__mb="300").get_int("io.sort.mb") == 300
    assert _conf().get_int("io.sort.mb") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("64", 64), ("64m", 64 << 20), (" 2G ", 2 << 30), ("0x10", 16), ("-1", -1), ("many", None)],
)
def test_whole_numbers_read_as_hadoop_reads_them(text: str, number: int | None) -> None:
    assert _conf(x=text).get_int("x") == number


def test_variables_are_replaced_where_the_file_knows_them_and_never_for_ever() -> None:
    conf = _conf(a="${b}/x", b="${c}", c="root", loop="${loop}", home="${user.home}/y/${c}")

    assert conf.get("a") == "root/x"
    assert conf.get("loop") == "${loop}"
    assert conf.get("home") == "${user.home}/y/root"


@pytest.mark.parametrize(
    "name",
    [
        "my.db.password",
        "fs.s3a.secret.key",
        "fs.azure.account.key.store.example",
        "job.api.token.mine",
        "hive.thing.credential",
    ],
)
def test_secrets_are_masked_wherever_a_value_is_shown(name: str) -> None:
    conf = JobConf({name: "hunter2", "mapreduce.job.redacted-properties": "job.api.token.mine,z"})

    assert conf.shown(name) == MASK
    assert dict(conf.shown_all())[name] == MASK
    assert conf.get(name) == "hunter2"
    assert conf.shown("mapreduce.job.redacted-properties") == "job.api.token.mine,z"


def test_a_list_of_the_site_adds_to_hadoops_own_patterns() -> None:
    conf = JobConf(
        {"hadoop.security.sensitive-config-keys": "pin$", "my.pin": "1", "a.secret": "2"}
    )

    assert conf.shown("my.pin") == MASK
    assert conf.shown("a.secret") == MASK


@pytest.mark.parametrize(
    ("expression", "name", "hidden"),
    [
        ("pin$", "my.pin", True),
        ("pin$", "my.pin.code", False),
        (r"corp\.[a-z].*\.key", "corp.x.of.the.key", True),
        (r"corp\.[a-z].*\.key", "corp.1.of.the.key", False),
        ("^mine.*code$", "mine.a.code", True),
        ("^mine.*code$", "not.mine.a.code", False),
        ("a.*b.*a", "xaxbxax", True),
        ("a.*b.*a", "xbxax", False),
        ("(corp[.]secretish)+", "a.secretish.thing", True),  # each word of it masks
        ("[", "a[b", True),  # no expression: its text masks
    ],
)
def test_the_expressions_of_a_job_hide_what_they_find(
    expression: str, name: str, hidden: bool
) -> None:
    conf = JobConf({"hadoop.security.sensitive-config-keys": expression, name: "value"})

    assert (dict(conf.shown_all())[name] == MASK) is hidden
    assert (conf.shown(name) == MASK) is hidden


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|a)*b", "(.*)*x", "(?=(a+)+b)", "a*a*a*a*b"])
def test_an_expression_that_could_take_for_ever_does_not_and_is_said(expression: str) -> None:
    names = "".join(f"<property><name>{'a' * 60}!{i}</name></property>" for i in range(9))
    text = (
        "<configuration><property><name>hadoop.security.sensitive-config-keys</name>"
        f"<value>{expression}</value></property>{names}</configuration>"
    )
    started = time.process_time()

    conf = parse_conf(text.encode(), name="conf.xml")

    assert "" in dict(conf.shown_all()).values()
    assert time.process_time() - started < 2  # it would be years
    (loss,) = conf.losses
    assert loss.startswith(f"conf.xml: the expression {expression!r} for names of secrets is not")


def test_a_name_of_any_length_is_searched_in_time() -> None:
    name = "oauth" * 200_000
    conf = JobConf({f"{name}secret": "hunter2", name: "x"})
    started = time.process_time()

    shown = dict(conf.shown_all())

    assert (shown[f"{name}secret"], shown[name]) == (MASK, "x")
    assert time.process_time() - started < 2  # quadratic: an hour


@pytest.mark.parametrize("text", ["9" * 5000, "9" * 5000 + "k", "9223372036854775808", "1e999",
                                  "\u0663", "0x" + "f" * 999])  # fmt: skip
def test_a_number_that_counts_nothing_is_not_known(text: str) -> None:
    conf = JobConf({"n": text, "mapreduce.map.java.opts": f"-Xmx{text}"})

    assert conf.get_int("n") is None
    assert conf.task_heap_bytes("map") is None


@pytest.mark.parametrize("text", ["NaN", "inf", "-Infinity", "1e999"])
def test_a_ratio_that_is_no_number_is_not_known(text: str) -> None:
    assert JobConf({"ratio": text}).get_float("ratio") is None


@pytest.mark.parametrize(
    ("properties", "heap_mb"),
    [
        ({"mapreduce.map.java.opts": "-Xmx200m -Xmx400m"}, 400),  # the last one wins
        ({"mapred.child.java.opts": "-Xms10m -Xmx300M"}, 300),
        ({"mapreduce.map.java.opts": "-XX:MaxHeapSize=1g"}, 1024),
        (
            {"mapreduce.admin.map.child.java.opts": "-Xmx99m", "mapreduce.map.java.opts": "-ea"},
            99,
        ),
        ({"mapreduce.map.memory.mb": "1000", "mapreduce.job.heap.memory-mb.ratio": "0.8"}, 800),
        ({"mapreduce.map.memory.mb": "-1", "mapreduce.job.heap.memory-mb.ratio": "0.8"}, 819),
        ({"mapreduce.map.java.opts": "-verbose:gc"}, None),
    ],
)
def test_the_configured_heap_follows_hadoops_order(
    properties: dict[str, str], heap_mb: int | None
) -> None:
    expected = None if heap_mb is None else heap_mb * MIB

    assert JobConf(properties).task_heap_bytes("map") == expected


def test_a_container_without_a_size_is_derived_from_the_heap() -> None:
    conf = JobConf(
        {
            "mapreduce.reduce.memory.mb": "-1",
            "mapreduce.reduce.java.opts": "-Xmx800m",
            "mapreduce.job.heap.memory-mb.ratio": "0.8",
        }
    )

    assert conf.task_container_bytes("reduce") == 1000 * MIB


def test_a_cut_off_file_is_read_as_far_as_it_goes() -> None:
    whole = _xml(a="1", b="2", c="3")

    conf = parse_conf(whole[: whole.index(b"<name>c") + 3], name="conf.xml")

    assert dict(conf.raw) == {"a": "1", "b": "2"}
    assert "damaged" in conf.losses[0]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\x01\x02",
        b"<html><body>404</body></html>",
        b'<!DOCTYPE c [<!ENTITY a "b">]><configuration><property><name>x</name></property>',
        *(
            f'<?xml version="1.0" encoding="{each}"?><configuration/>'.encode()
            for each in ("ttd-8", "rot13", "shift_jis", "idna")
        ),
    ],
)
def test_a_file_that_is_no_configuration_is_one_clear_error(data: bytes) -> None:
    with pytest.raises(EvidenceError, match="holds no property"):
        parse_conf(data, name="conf.xml")


@needs_shared_data
@pytest.mark.parametrize("path", sorted(SHARED.glob("*/*_conf.xml")), ids=lambda p: p.parent.name)
def test_recorded_configurations_are_read_whole(path: Path) -> None:
    conf = read_conf(path)

    assert conf.losses == ()
    assert len(conf.raw) == path.read_text().count("<property>")
    assert conf.get_int("mapreduce.task.io.sort.mb") == 100


def test_the_first_source_of_a_property_is_who_set_it() -> None:
    entries = (
        ("a.code", ("programmatically", "job.xml")),
        ("a.command", ("from command line", "job.xml")),
        ("a.site", ("programmatically.xml", "programmatically")),
        ("a.nobody", ()),
    )
    text = "".join(
        f"<property><name>{name}</name><value>1</value><final>false</final>"
        + "".join(f"<source>{source}</source>" for source in sources)
        + "</property>\n"
        for name, sources in entries
    )

    conf = parse_conf(f"<configuration>{text}</configuration>".encode(), name="job.xml")

    assert conf.set_in_code == {"a.code"}
    assert dict(conf.raw) == {name: "1" for name, _ in entries}


def test_what_is_asked_for_by_resource_type_is_the_container() -> None:
    conf = JobConf({"mapreduce.map.memory.mb": "188", "mapreduce.map.resource.memory-mb": "288"})
    assert conf.task_container_bytes("map") == 288 << 20


def test_what_mprof_did_to_a_container_is_read_back() -> None:
    conf = JobConf(
        {
            "mprof.container.headroom.mb": "32",
            "mprof.container.map.plain.mb": "188",
            "mprof.container.map.mb": "288",
            "mprof.container.reduce.plain.mb": "1024",
            "mprof.container.reduce.why": "resource",
        }
    )
    given = conf.container_room("map")
    assert given is not None
    assert (given.plain_mb, given.asked_mb, given.why_not) == (188, 288, None)
    other = conf.container_room("reduce")
    assert other is not None
    assert (other.asked_mb, other.why_not) == (None, "resource")
    assert JobConf({}).container_room("map") is None
