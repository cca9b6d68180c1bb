"""What a text tells its readers to set is no value that was in force; what it did itself is."""

from __future__ import annotations

import pytest

from mprof.intake.settings import stated_in

_SIZE = "mapreduce.map.memory.mb"


def _used(text: str) -> dict[str, str]:
    found = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in found if not one.why_not}


_ORDERS = {
    "a verb at the start": f"Use {_SIZE}=4096.",
    "behind a condition": f"If the maps die again, raise {_SIZE} to 4096.",
    "behind a purpose": f"To leave room for native memory, set {_SIZE} to 4096.",
    "an item": f"- Increase {_SIZE} to 4096",
    "a numbered step": f"3. Then set {_SIZE}=4096",
    "what is ensured": f"Make sure that {_SIZE} is 4096.",
    "beside what others have": f"Set `{_SIZE}` to `4096`, or more (we use 8192).",
    "on the next line": (
        "When tasks are killed for what their child processes took, start fewer of them, or raise\n"
        f"{_SIZE} to 4096."
    ),
    "into a file": (
        "Add to mapred-site.xml:\n\n"
        f"<property>\n<name>{_SIZE}</name>\n<value>4096</value>\n</property>"
    ),
    "under a heading of advice": f"Ways out:\n* {_SIZE} = 4096",
    "supposed": f"Suppose each node has 48 GB and {_SIZE} is 4096.",
    "an old value": f"The old value: {_SIZE}=4096",
    "not in force": f"{_SIZE}=4096 was not in force.",
    "supposed in the sentence before": f"Suppose each node has 48 GB.\nThen {_SIZE} is 4096.",
}
_TOLD = {
    "by whom": f"To leave room for native memory, we set {_SIZE} to 4096.",
    "in the past": f"Added {_SIZE}=4096 to the job, as everybody here has.",
    "where it was set": f"Set in the driver of the job: {_SIZE}=4096",
    "how it ran": f"Run with {_SIZE}=4096",
    "a noun": f"Use case: nightly import, {_SIZE}=4096.",
    "how to see it": (
        f"To reproduce it, run the job with\n\nhadoop jar a.jar -D{_SIZE}=4096 /in /out"
    ),
    "of somebody": f"On Friday Milan put {_SIZE} to 4096.",
    "an old job": f"Job A, our old deduplication: {_SIZE}=4096.",
    "whatever was edited": f'EDIT: "{_SIZE}=4096" was in force too.',
    "reduce as a noun": f"Reduce tasks have 2 GB, maps have {_SIZE}=4096.",
    "behind what was supposed": f"Suppose each node has 48 GB.\n\nOur {_SIZE} is 4096.",
    "a log below a heading": (
        "Possible solutions are welcome, here is the job.\n\n"
        f"$ hadoop jar job.jar com.example.Join -D{_SIZE}=4096 /in /out"
    ),
}


@pytest.mark.parametrize("text", _ORDERS.values(), ids=_ORDERS)
def test_what_readers_are_told_to_set_was_not_in_force(text: str) -> None:
    found = [one for one in stated_in(enumerate(text.split("\n"), 1)) if one.name == _SIZE]

    assert next(one.value for one in found) == "4096"
    assert all(one.why_not for one in found)


@pytest.mark.parametrize("text", _TOLD.values(), ids=_TOLD)
def test_what_somebody_did_was(text: str) -> None:
    assert _used(text) == {_SIZE: "4096"}


@pytest.mark.parametrize(
    ("heading", "is_in_force"),
    [
        ("## Solution", False),
        ("### ✅ 解决方案 (4GB)", False),
        ("### 処理方法", False),
        ("## Configuration", True),
        ("### 环境", True),
    ],
)
def test_a_command_in_a_section_of_advice_was_not_in_force(
    heading: str, *, is_in_force: bool
) -> None:
    text = (
        f"# A note\n\nIt died.\n\n{heading}\n\n```bash\n# 1. run it\nhadoop jar a.jar \\\n"
        "-Dmapreduce.map.memory.mb=4096 \\\ncom.example.Main\n```\n"
    )
    stated = stated_in(enumerate(text.split("\n"), 1))

    assert [not one.why_not for one in stated] == [is_in_force]


def test_a_section_of_advice_ends_with_the_next_heading() -> None:
    text = (
        "## Fix\n\nmapreduce.map.memory.mb=4096\n\n## The job\n\nmapreduce.reduce.memory.mb=2048\n"
    )
    stated = stated_in(enumerate(text.split("\n"), 1))

    assert {one.name: not one.why_not for one in stated} == {
        "mapreduce.map.memory.mb": False,
        "mapreduce.reduce.memory.mb": True,
    }
