"""The overlay carries what the agent needs, and leaves the user's configuration as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.errors import ClusterError
from mprof.hadoop.overlay import effective_properties, write_overlay


def test_a_list_property_keeps_what_the_site_says() -> None:
    wanted = effective_properties(
        overlay={"x": "1"},
        append={"mapreduce.job.tags": "mprof-1"},
        site_values={"mapreduce.job.tags": "nightly", "y": "2"},
        site_final=(),
    )

    assert wanted == {"x": "1", "mapreduce.job.tags": "nightly,mprof-1"}


def test_a_list_property_that_nobody_set_holds_the_addition_alone() -> None:
    wanted = effective_properties(
        overlay={}, append={"tags": "a,b"}, site_values={"tags": " "}, site_final=()
    )

    assert wanted == {"tags": "a,b"}


def test_a_final_property_that_is_needed_is_named() -> None:
    with pytest.raises(ClusterError, match=r"marks mapreduce\.task\.profile as final"):
        effective_properties(
            overlay={"mapreduce.task.profile": "true"},
            append={},
            site_values={"mapreduce.task.profile": "false"},
            site_final={"mapreduce.task.profile"},
        )


def test_a_final_property_that_already_says_the_same_is_no_obstacle() -> None:
    wanted = effective_properties(
        overlay={"a": "true"}, append={}, site_values={"a": "true"}, site_final={"a"}
    )

    assert wanted == {"a": "true"}


def test_every_other_file_is_the_original(tmp_path: Path) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "core-site.xml").write_text("<configuration/>")
    (conf / "log4j.properties").write_text("a=b")
    (conf / "yarn-site.xml").write_text("<configuration/>")

    overlay = write_overlay(conf, tmp_path / "overlay", {"k": "v"})

    assert (overlay / "core-site.xml").resolve() == conf / "core-site.xml"
    assert (overlay / "log4j.properties").resolve() == conf / "log4j.properties"
    assert "<name>k</name>" in (overlay / "mapred-site.xml").read_text()
    assert "<name>k</name>" in (overlay / "yarn-site.xml").read_text()
    assert (conf / "yarn-site.xml").read_text() == "<configuration/>"
    assert not (conf / "mapred-site.xml").exists()


def test_nobody_else_may_read_an_overlay(tmp_path: Path) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()

    overlay = write_overlay(conf, tmp_path / "overlay", {"password": "secret"})

    assert overlay.stat().st_mode & 0o777 == 0o700
    assert (overlay / "mapred-site.xml").stat().st_mode & 0o777 == 0o600
