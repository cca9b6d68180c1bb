"""A site file that somebody else keeps gets a block, and is the same again without it."""

from __future__ import annotations

import os
import stat
import xml.etree.ElementTree as ET
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from mprof.errors import ClusterError, MprofError
from mprof.hadoop.siteblock import block_text, replace_site_file, with_block, without_block

SITE = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- kept by hand; Zustaendig: J\xfcrgen -->
<configuration>
  <property><name>mapreduce.job.cache.archives</name><value>hdfs:/tz.zip#tz</value></property>

  <property><name>a</name><value>x &amp; y</value></property><!-- last -->
</configuration>
"""
PROPERTIES = {"mapreduce.task.profile": "true", "p": "$([ -r j ] && echo <j>)"}
ARCHIVES = {"mapreduce.job.cache.archives": "hdfs:/m.zip#m"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    file = tmp_path / "mapred-site.xml"
    file.write_bytes(SITE.encode("latin-1"))
    return file


def own(name: str, value: str, more: str = "") -> str:
    return f"<property><name>{name}</name><value>{value}</value>{more}</property>"


def effective(content: bytes) -> dict[str, str]:
    """As Hadoop reads it: the last value of a property."""
    return {
        entry.findtext("name", ""): entry.findtext("value", "")
        for entry in ET.fromstring(content).iter("property")
    }


def test_the_block_changes_no_other_byte_and_leaves_none_behind(site: Path) -> None:
    content = with_block(site, PROPERTIES, ARCHIVES)

    assert effective(content) == {
        **PROPERTIES,
        "mapreduce.job.cache.archives": "hdfs:/tz.zip#tz,hdfs:/m.zip#m",
        "a": "x & y",
    }
    block = block_text(
        {**PROPERTIES, "mapreduce.job.cache.archives": "hdfs:/tz.zip#tz,hdfs:/m.zip#m"}
    )
    assert SITE.encode("latin-1") == content.replace(block.encode(), b"")
    site.write_bytes(content)
    assert SITE.encode("latin-1") == without_block(site)


def test_a_newer_block_takes_the_place_of_the_older_one(site: Path) -> None:
    site.write_bytes(with_block(site, {**PROPERTIES, "p": "older"}, ARCHIVES))

    content = with_block(site, PROPERTIES, ARCHIVES)

    assert 1 == content.count(b"mprof switch: begin")
    assert "hdfs:/tz.zip#tz,hdfs:/m.zip#m" == effective(content)["mapreduce.job.cache.archives"]
    assert PROPERTIES["p"] == effective(content)["p"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (own("mapreduce.task.profile", "false"), "values of its own: mapreduce.task.profile=false"),
        (own("p", "-agentlib:hprof"), "values of its own: p=-agentlib:hprof"),
        (own("p", escape(PROPERTIES["p"]), "<final>true</final>"), "marks p as final"),
        (own("mapreduce.job.cache.archives", "x", "<final>true</final>"), "as final"),
        ('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="more.xml"/>', "includes"),
        ("<property>", "cannot be read"),
    ],
)  # fmt: skip
def test_what_would_override_the_site_or_not_count_is_refused(
    tmp_path: Path, text: str, says: str
) -> None:
    site = tmp_path / "mapred-site.xml"
    site.write_text(f"<configuration>{text}</configuration>")

    with pytest.raises(ClusterError, match=says) as refused:
        with_block(site, PROPERTIES, ARCHIVES)

    assert refused.value.next_step


def test_a_file_whose_end_is_in_a_comment_is_refused(tmp_path: Path) -> None:
    site = tmp_path / "mapred-site.xml"
    site.write_text("<configuration></configuration><!-- was </configuration> -->")

    with pytest.raises(ClusterError, match="not laid out"):
        with_block(site, PROPERTIES, {})


@pytest.mark.parametrize("text", ["<configuration/>", "<configuration>\n</configuration>", None])
def test_an_empty_or_missing_file_gets_the_block_too(tmp_path: Path, text: str | None) -> None:
    site = tmp_path / "mapred-site.xml"
    if text is not None:
        site.write_text(text)

    assert {**PROPERTIES, **ARCHIVES} == effective(with_block(site, PROPERTIES, ARCHIVES))


def test_replacing_keeps_link_mode_and_a_copy(site: Path, tmp_path: Path) -> None:
    site.chmod(0o640)
    link = tmp_path / "conf.xml"
    link.symlink_to(site)

    first = replace_site_file(link, b"<configuration/>")
    second = replace_site_file(link, b"<configuration></configuration>")

    assert link.is_symlink()
    assert b"<configuration></configuration>" == site.read_bytes()
    assert 0o640 == stat.S_IMODE(site.stat().st_mode)
    assert first is not None
    assert second is not None
    assert SITE.encode("latin-1") == first.read_bytes()
    assert b"<configuration/>" == second.read_bytes()
    assert 4 == len(list(tmp_path.iterdir()))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo"):
        with pytest.raises(MprofError, match="is not a file"):
            with_block(path, PROPERTIES, {})
    with pytest.raises(MprofError, match="cannot be read"):
        without_block(tmp_path / "nowhere")


def test_a_file_that_cannot_be_replaced_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(MprofError, match="cannot be replaced"):
        replace_site_file(tmp_path / "nowhere" / "mapred-site.xml", b"x")
