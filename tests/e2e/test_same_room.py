"""One record's intermediate results beside what is kept: alone it dies in the room that it had."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e.conftest import Command

from mprof.evidence import Unknown
from mprof.evidence.assemble import assemble
from mprof.runs import SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

MIB = 1 << 20


@pytest.mark.parametrize("side", ["map", "reduce"])
def test_a_record_that_needs_two_thirds_of_the_heap_beside_what_is_kept_is_proven(
    side: str, mprof: Command, jar: Path, tmp_path: Path
) -> None:
    # 42 MB are kept by line 42,000, which unfolds into 155 MB: alone it would fit into 200 MB
    with (tmp_path / "lines.txt").open("w") as file:
        for number in range(46_000):
            cells = 1_550_000 if number == 42_000 else 10
            file.write(f"k{number // 1000:02} {cells}\n")
    capture = tmp_path / "capture"
    job = ["hadoop", "jar", str(jar), "acme.Unfolding", side, str(tmp_path / "lines.txt"),
           str(tmp_path / "out")]  # fmt: skip

    mprof("run", "--embedded", "-o", str(capture), "--", *job)
    mprof("rerun", "--embedded", str(capture), "--", *job)

    found = assemble(load_failed_job(open_capture(capture), SilentObserver())).verification
    assert not isinstance(found, Unknown), found
    assert (found.met, found.died, found.same_room) == (True, True, True)
    assert found.warm_up_records == 16
    # an ordinary line comes to its end in the room in which line 42,000 dies
    assert found.control == "lived"
    assert not isinstance(found.growth_bytes, Unknown)
    assert 100 * MIB < found.growth_bytes < 170 * MIB
