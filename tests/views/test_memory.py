"""The memory diagnoses behind the squares: pages in their folder, whatever a history says."""

from __future__ import annotations

from pathlib import Path

from mprof.runs import SilentObserver
from mprof.views.memory import write_memory_pages

CASES = Path(__file__).parents[2] / "cases"


def test_an_id_that_leads_elsewhere_writes_its_page_into_the_folder(tmp_path: Path) -> None:
    (recorded,) = (CASES / "cdh-job/evidence/runs/001").rglob("*.jhist")
    history = tmp_path / "job.jhist"
    # Of the same length: the history is binary.
    history.write_bytes(recorded.read_bytes().replace(b"attempt_", b"../../a_"))
    site = tmp_path / "some" / "site"
    site.mkdir(parents=True)

    found = write_memory_pages([history], site, SilentObserver())

    assert found.of_attempts
    assert [history] == [path for path in tmp_path.rglob("*") if path.is_file()
                         and site / "memory" not in path.parents]  # fmt: skip
    assert all((site / page).is_file() for page in found.of_attempts.values())
