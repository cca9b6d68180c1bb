"""Site files are read back here by a parser of their own, the way Hadoop reads them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from mprof.errors import ClusterError
from mprof.hadoop.siteblock import with_block
from mprof.hadoop.sitefiles import extended_site_text, final_properties, site_files, site_text


def properties(text: str) -> list[tuple[str, str]]:
    return [
        (entry.findtext("name", ""), entry.findtext("value", ""))
        for entry in ET.fromstring(text.split("\n", 1)[1]).iter("property")
    ]


def test_each_property_is_in_its_usual_file() -> None:
    files = site_files(
        {
            "fs.defaultFS": "file:///",
            "yarn.app.mapreduce.am.resource.mb": "512",
            "yarn.resourcemanager.address": "localhost:1",
            "mapreduce.framework.name": "yarn",
        }
    )

    assert properties(files["core-site.xml"]) == [("fs.defaultFS", "file:///")]
    assert properties(files["yarn-site.xml"]) == [("yarn.resourcemanager.address", "localhost:1")]
    assert properties(files["mapred-site.xml"]) == [
        ("mapreduce.framework.name", "yarn"),
        ("yarn.app.mapreduce.am.resource.mb", "512"),
    ]


@pytest.mark.parametrize("encoding", ["ttd-8", "rot13", "shift_jis", "idna"])
def test_a_file_of_an_encoding_that_cannot_be_read_is_one_clear_error(
    encoding: str, tmp_path: Path
) -> None:
    site = tmp_path / "mapred-site.xml"
    site.write_text(f'<?xml version="1.0" encoding="{encoding}"?>\n<configuration/>\n')

    for read in (
        final_properties,
        lambda file: extended_site_text(file, {}),
        lambda file: with_block(file, {}, {}),
    ):
        with pytest.raises(ClusterError, match="cannot be read"):
            read(site)


def test_a_value_with_markup_and_quotes_survives() -> None:
    value = '$([ -r a.jar ] && echo "-javaagent:<a>")'

    assert properties(site_text({"key": value})) == [("key", value)]


def test_additions_come_after_what_a_site_file_says(tmp_path: Path) -> None:
    site = tmp_path / "mapred-site.xml"
    site.write_text(
        "<configuration><property><name>a</name><value>1</value></property></configuration>"
    )

    text = extended_site_text(site, {"a": "2", "b": "3"})

    assert properties(text) == [("a", "1"), ("a", "2"), ("b", "3")]


def test_a_missing_site_file_counts_as_an_empty_one(tmp_path: Path) -> None:
    assert properties(extended_site_text(tmp_path / "none.xml", {"a": "1"})) == [("a", "1")]


def test_a_relative_inclusion_still_leads_to_the_original_folder(tmp_path: Path) -> None:
    site = tmp_path / "mapred-site.xml"
    site.write_text(
        '<configuration xmlns:xi="http://www.w3.org/2001/XInclude">'
        '<xi:include href="../shared/common.xml"/></configuration>'
    )

    text = extended_site_text(site, {})

    (include,) = ET.fromstring(text.split("\n", 1)[1]).iter(
        "{http://www.w3.org/2001/XInclude}include"
    )
    assert include.get("href") == f"file://{tmp_path}/../shared/common.xml"


def test_a_site_file_that_is_no_xml_is_named_in_one_line(tmp_path: Path) -> None:
    site = tmp_path / "yarn-site.xml"
    site.write_text("<configuration><property>")

    with pytest.raises(ClusterError, match=r"yarn-site\.xml cannot be read") as caught:
        extended_site_text(site, {"a": "1"})

    assert "\n" not in str(caught.value)
