"""Several sick slaves: who is counted, and what the page says of the recordings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from builders.stores import store_of

from testbed.campaign import OF_TEN
from testbed.of_ten import Said, page_of_ten, say
from testbed.recorded import Recorded, read_recordings

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "testbed-of-ten.md"


def _map(number: int, host: str, seconds: float, *, started_s: float = 100.0) -> dict[str, object]:
    return {
        "job": "j", "attempt": str(number), "kind": "map", "host": host, "state": "succeeded",
        "started_s": started_s, "finished_s": started_s + seconds,
    }  # fmt: skip


def _recorded(folder: Path, *, fault: str | None, node: str | None) -> Recorded:
    return Recorded(
        name="r", fault=fault, node=node, workload="sort", speculation=False, from_s=100.0,
        until_s=200.0, first_job_s=None, slaves=tuple(f"n{number}" for number in range(1, 11)),
        store=store_of(
            folder,
            attempts=[
                _map(1, "n1", 90.0), _map(2, "n1", 30.0, started_s=0.0), _map(3, "n2", 30.0),
                _map(4, "n3", 50.0), _map(5, "n4", 45.0),
            ],
        ),
    )  # fmt: skip


def test_each_sick_slave_has_its_own_fault_and_counts_once(tmp_path: Path) -> None:
    both = _recorded(tmp_path, fault="cpu-hog+slow-disk-2", node="n7+n1")
    said = Said(both, {"n7": "sure", "n3": "possible"})
    lines = page_of_ten([said, Said(_recorded(tmp_path, fault=None, node=None), {})]).splitlines()

    assert {"n7": "cpu-hog", "n1": "slow-disk-2"} == said.faults
    assert {"n1", "n7"} == both.sick
    assert ["n3"] == said.accused
    assert (
        "`mprof nodes` names 1 of the 2 sick slaves in 1 recording, and 1 of their 8 healthy ones;"
        " in 1 recording without a fault it names 0 of 10."
    ) == lines[2]
    rows = [line for line in lines if line.startswith("|")]
    assert "| cpu-hog | 1 of 1 | 1.00 (0.21 to 1.00) |" in rows
    assert "| slow-disk-2 | 0 of 1 | 0.00 (0.00 to 0.79) |" in rows
    assert "| sure | 1 | 1 |" in rows
    assert "| possible | 1 | 0 |" in rows
    assert (
        "| sort | no | n7 (cpu-hog, no map attempt ended), n1 (slow-disk-2, 2.0 times)"
        " | n7 (sure) | n3 (possible) |"
    ) in rows


def test_the_page_says_what_is_said_of_the_recordings(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as workers:
        recordings = read_recordings(OF_TEN, tmp_path, workers)

    assert recordings
    assert PAGE.read_text(encoding="utf-8") == page_of_ten([say(one) for one in recordings])
