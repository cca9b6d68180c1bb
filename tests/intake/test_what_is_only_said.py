"""What somebody only names is no death of its own beside one of which a log tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import APPLICATION, container, died_in_map, found, told_of, yarn_logs

from mprof.report import render_findings

_ASKED = "My plan was -Xmx6g, since it says\nOutOfMemory. Good idea or not?\n"
_LOGS = yarn_logs([(container(2), "syslog", died_in_map())])
_DONE = yarn_logs([(container(2), "syslog", "2024-03-01 10:00:01,000 INFO [main] x.Y: began\n")])


def _report(tmp_path: Path, text: str) -> str:
    path = tmp_path / "pasted.txt"
    path.write_text(text)
    return " ".join(render_findings(found(path)).split())


def test_a_question_behind_the_log_of_a_death_is_no_second_one(tmp_path: Path) -> None:
    report = _report(tmp_path, f"{_LOGS}\n{_ASKED}")

    assert "FAILURES" not in report
    assert "The text says" not in report
    assert container(2) in report


def test_without_a_log_of_it_it_is_told_as_what_the_text_says(tmp_path: Path) -> None:
    assert "The text says" in told_of(tmp_path, _ASKED)[1]
    assert "The text says" in _report(tmp_path, f"{_DONE}\n{_ASKED}")


def test_the_title_of_another_page_is_no_end(tmp_path: Path) -> None:
    link = "[Container killed on request. Exit code is 137](https://example.com/a/b)"
    beside = f"Job job_{APPLICATION} died:\n\n{died_in_map()}\nSee {link}.\n"

    assert "137" not in told_of(tmp_path, beside)[1]
    assert "137" in told_of(tmp_path, "Container killed on request. Exit code is 137\n")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Container preempted by scheduler", "was killed"),
        ("Container released on a *lost* node", "was killed"),
        ("Container launch failed for container_1 : java.io.IOException: x", "failed"),
    ],
)
def test_what_was_taken_back_has_not_failed(words: str, said: str, tmp_path: Path) -> None:
    attempt = f"attempt_{APPLICATION}_m_000020_0"
    report = told_of(
        tmp_path, f"INFO x.TaskAttemptImpl: Diagnostics report from {attempt}: {words}\n"
    )

    assert f"{said}; nothing points to memory" in report[1]
