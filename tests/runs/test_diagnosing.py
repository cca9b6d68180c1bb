"""What ``diagnose`` says of what is no evidence."""

from __future__ import annotations

import pytest

from mprof.errors import EvidenceError
from mprof.runs import SilentObserver, diagnose


def test_no_cluster_is_asked_for_a_job_that_ran_inside_the_command() -> None:
    with pytest.raises(EvidenceError, match="job_local7_0001 ran inside the command") as raised:
        diagnose(
            "job_local7_0001", embedded=True, conf_dir=None, capture=None, observer=SilentObserver()
        )

    assert "mapreduce.framework.name=yarn" in raised.value.next_step
