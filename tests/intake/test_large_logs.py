"""Logs of any size: every death in them is found, and what ended well takes next to no memory."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest
from builders.container_logs import container, dead, died_in_map, done, found
from builders.large_logs import MAKERS, large_log

from mprof.intake import take_in
from mprof.trace import blocks, excerpt
from mprof.trace.excerpt import excerpt_of

_BLOCK = 1 << 16


@pytest.mark.parametrize("kind", MAKERS)
def test_every_death_in_a_log_of_many_blocks_is_found(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", _BLOCK)
    log = large_log(kind, 1_000_000)
    path = tmp_path / "some.txt"
    path.write_bytes(b"".join(log))

    told = dead(found(path))

    if len(log.deaths) == 1:  # one log may not name itself
        assert list(told.values()) == list(log.deaths.values())
    else:
        assert told == log.deaths


def test_many_small_logs_are_read_as_each_alone(tmp_path: Path) -> None:
    for number in range(60):
        folder = tmp_path / "application" / container(number)
        folder.mkdir(parents=True)
        (folder / "stderr").write_text("no line end")
        (folder / "stdout").write_bytes(b"")
        dies = number % 20 == 3
        name = f"attempt_1700000000000_0005_m_{number:06}_0"
        (folder / "syslog").write_text(died_in_map(line=number) if dies else done(name))
    alone = [dead(found(folder)) for folder in sorted((tmp_path / "application").iterdir())]

    together = dead(found(tmp_path))

    assert together == {name: kind for one in alone for name, kind in one.items()}
    assert {container(number): "heap" for number in (3, 23, 43)} == together


def test_the_memory_for_a_container_that_ended_well_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", _BLOCK)

    def peak(megabytes: float) -> tuple[int, int]:
        path = tmp_path / "logs.txt"
        path.write_bytes(b"".join(large_log("short containers", int(megabytes * 1e6))))
        tracemalloc.start()
        taken = take_in([str(path)], lambda _: None)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        (job,) = taken.jobs
        return most, len(job.traces)

    few, few_containers = peak(4)
    many, many_containers = peak(8)

    assert many_containers > few_containers + 300
    assert (many - few) / (many_containers - few_containers) < 4000  # bytes; its logs are of 7,000


def test_what_is_left_out_of_a_master_s_log_is_never_a_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # every attempt has three lines that say whose it is; 4 of 1,800 attempts died
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", _BLOCK)
    log = large_log("application master", 9_000_000)
    path = tmp_path / "master.log"
    path.write_bytes(b"".join(log))
    assert len(log.deaths) == 4
    for strong, whose in ((300_000, 1_000), (40, 400), (0, 200)):
        monkeypatch.setattr(excerpt, "MOST_STRONG", strong)
        monkeypatch.setattr(excerpt, "MOST_WHOSE", whose)
        monkeypatch.setattr(excerpt, "_NEWEST_WHOSE", whose // 10)

        assert log.deaths == dead(found(path)), (strong, whose)


def test_the_excerpt_of_a_master_s_log_does_not_grow_with_the_attempts_that_ended_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", _BLOCK)
    monkeypatch.setattr(excerpt, "MOST_WHOSE", 1_000)
    monkeypatch.setattr(excerpt, "_NEWEST_WHOSE", 100)
    monkeypatch.setattr(excerpt, "MOST_LINES", 100)

    def kept(megabytes: int) -> int:
        found = excerpt_of(iter(large_log("application master", megabytes * 1_000_000)))
        return sum(len(line) for line in found.all_lines())

    few, many = kept(2), kept(8)

    assert many - few < 60_000  # of 6 MB: the deaths in them


def test_a_text_of_comments_that_begins_as_no_configuration_is_told_at_once(
    tmp_path: Path,
) -> None:
    # each end of a comment could have ended the one before it too: the ways grow as powers of two
    path = tmp_path / "some.xml"
    path.write_text("<!--> --> " * 3000)
    begun = time.process_time()

    take_in([str(path)], lambda _: None)

    assert time.process_time() - begun < 5
    path.write_text(
        "<?xml version='1.0'?>\n<!-- a --> <!-- b -->\n<configuration><property><name>a.b</name>"
        "<value>1</value></property></configuration>"
    )
    assert [one.kind for one in take_in([str(path)], lambda _: None).found] == [
        "configuration files"
    ]
