"""What diagnostics of failed attempts are told as; and the page that says how."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.troubled_jobs import APPLICATION_ERROR, DISK_FULL, OUT_OF_MEMORY

from development.pages.triage import triage_page
from mprof.triage.failures import failure_of

BEYOND_ITS_LIMIT = (
    "Container [pid=1,containerID=container_1_0001_01_000002] is running beyond physical memory"
    " limits. Current usage: 1.0 GB of 1 GB physical memory used; 2 GB of 2.1 GB virtual memory"
    " used. Killing container."
)
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "triage.md"


@pytest.mark.parametrize(
    ("diagnostics", "kind", "signature"),
    [
        (OUT_OF_MEMORY, "memory", "heap"),
        ("Error: GC overhead limit exceeded", "memory", "gc-overhead"),
        (
            BEYOND_ITS_LIMIT,
            "memory", "container-physical",
        ),
        (
            APPLICATION_ERROR, "application",
            "java.lang.NumberFormatException at java.lang.Integer.parseInt",
        ),
        ("Error: the pool is empty", "application", "Error: the pool is empty"),
        (DISK_FULL, "node", "a disk of the node was full"),
        ("Container released on a *lost* node", "node", "its node was lost"),
        (
            "Too many fetch failures. Failing the attempt. Last failure reported by attempt_1",
            "node", "its output could not be copied from the node",
        ),
        (
            "AttemptID:attempt_1_0001_m_000000_0 Timed out after 600 secs", "timeout",
            "no progress until the timeout",
        ),
        (
            (
                "AttemptID:attempt_1_0001_m_000000_0 task timeout set: 600s, taskTimedOut: true; "
                "task stuck timeout set: 600s, taskStuck: false"
            ),
            "timeout", "no progress until the timeout",
        ),
        (
            "Task attempt_1_0001_m_000000_0 failed to report status for 600 seconds. Killing!",
            "timeout", "no progress until the timeout",
        ),
        ("Container killed by the ApplicationMaster.", "not known",
         "killed, or failed without an error of Java"),
        (None, "not known", "no diagnostics"),
        ("  \n", "not known", "no diagnostics"),
    ],
)  # fmt: skip
def test_diagnostics_tell_whose_fault_it_is(
    diagnostics: str | None, kind: str, signature: str
) -> None:
    told = failure_of(diagnostics)

    assert (told.kind, told.signature) == (kind, signature)
    assert "\n" not in told.quoted


def test_the_page_of_the_reference_is_that_of_today() -> None:
    assert triage_page() == PAGE.read_text(encoding="utf-8")
