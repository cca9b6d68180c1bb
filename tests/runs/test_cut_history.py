"""A history that was cut off never says that its job did not fail, and what it lacks is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.report import render_text
from mprof.runs import SilentObserver
from mprof.runs.diagnosing import diagnose

ROOT = Path(__file__).parents[2]
FAILED = next(ROOT.glob("cases/in-mem-word-count/evidence/runs/001/jobs/*/job.jhist"))


@pytest.mark.parametrize("share", [0.80, 0.85, 0.90, 0.95, 0.99])
def test_a_failed_history_that_was_cut_says_that_the_end_is_not_known(
    tmp_path: Path, share: float
) -> None:
    whole = FAILED.read_bytes()
    cut = tmp_path / "job.jhist"
    cut.write_bytes(whole[: int(share * len(whole))])

    diagnosed = diagnose(
        str(cut), embedded=False, conf_dir=None, capture=None, observer=SilentObserver()
    )

    assert "did not fail" not in render_text(diagnosed)
    assert any("cut off" in one for one in diagnosed.losses)


def test_the_whole_one_says_that_it_failed() -> None:
    diagnosed = diagnose(
        str(FAILED), embedded=False, conf_dir=None, capture=None, observer=SilentObserver()
    )

    assert diagnosed.evidence.death.kind == "heap"
    assert diagnosed.losses == ()
