"""``mprof doctor`` says what is wrong with the client configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.runs import Check, examine

FINAL = "<property><name>{}</name><value>x</value><final>true</final></property>"


def configuration(folder: Path) -> Check:
    (found,) = (
        check for check in examine(embedded=False, conf_dir=folder) if check.name == "configuration"
    )
    return found


@pytest.fixture(autouse=True)
def without_hadoop(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty PATH has no ``hadoop`` command, so no gateway is started."""
    monkeypatch.setenv("PATH", "")


def test_a_configuration_folder_that_does_not_exist_is_wrong(tmp_path: Path) -> None:
    check = configuration(tmp_path / "nowhere")

    assert check.ok is False
    assert check.found == f"there is no folder {tmp_path / 'nowhere'}"
    assert "HADOOP_CONF_DIR" in check.next_step


def test_a_final_property_that_the_agent_needs_is_named(tmp_path: Path) -> None:
    properties = FINAL.format("mapreduce.task.profile") + FINAL.format("mapreduce.map.memory.mb")
    site = tmp_path / "mapred-site.xml"
    site.write_text(f"<configuration>{properties}</configuration>", encoding="utf-8")

    check = configuration(tmp_path)

    assert check.ok is False
    assert check.found == f"final in {site}: mapreduce.task.profile"
