"""A thread that ends well: what helped is what to set, and nothing else becomes that."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_JOB = "1700000000000_0042"
_ASKED = (
    "Our reducers die since the upgrade. mapreduce.reduce.java.opts is -Xmx2g, the containers have "
    "mapreduce.reduce.memory.mb=2560.\n\n"
    "24/03/01 10:00:01 INFO mapreduce.Job: Task Id : "
    f"attempt_{_JOB}_r_000003_0, Status : FAILED\n"
    "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
    "fetcher#2\n"
    "\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)\n"
    "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>"
    "(BoundedByteArrayOutputStream.java:56)\n"
    "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
    "(InMemoryMapOutput.java:63)\n"
    "\tat org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.reserve"
    "(MergeManagerImpl.java:295)\n\n"
)
_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"
_ANSWER = f"## Answer\n\nYou should lower {_SHARE} to 0.35 there.\n\n"
_TO_KEEP = f"With {_SHARE}=0.35 it went through, as the text says: that is what to keep."

CONFIRMED = {
    "a comment": f"{_ANSWER}> comment: That solved it! Thank you.\n",
    "a comment with the number": f"{_ANSWER}Comment: 0.35 it is, works now.\n",
    "the asker below it": f"{_ANSWER}Works now, thanks @kim!\n",
    "the next voice": f"{_ANSWER}Reply from Jo:\n\nYour suggestion fixed it, many thanks.\n",
    "a bold heading": f"**Answer (accepted)** Set {_SHARE} to 0.35.\n\nEDIT: problem is solved\n",
    "an answer with its votes": f"Answer 2 (14): lower {_SHARE} to 0.35.\n\nThat did the trick.\n",
    "the second of two": (
        f"Answer 1: use {_SHARE}=0.6\n\nComment: no, same error\n\n"
        f"Answer 2: use {_SHARE}=0.35\n\nComment: this worked, thanks\n"
    ),
    "the name by its end": (
        f"We run with {_SHARE}=0.7.\n\nAnswer 1: I would put buffer.percent down to 0.35\n\n"
        "Comment: 0.35 it is, the job works now, thanks\n"
    ),
}


@pytest.mark.parametrize("page", CONFIRMED)
def test_advice_that_helped_is_what_to_set(page: str, tmp_path: Path) -> None:
    _, text = told_of(tmp_path, _ASKED + CONFIRMED[page])

    assert _TO_KEEP in text
    assert f"-D {_SHARE}=0.35" in text


NOT_CONFIRMED = {
    "nobody says so": _ANSWER,
    "a wish": f"{_ANSWER}Hope that works for you.\n",
    "a condition": f"{_ANSWER}Comment: if that solved it, please accept the answer\n",
    "a question": f"{_ANSWER}Comment: has that solved it?\n",
    "it did not": f"{_ANSWER}Comment: sorry, that has not solved it\n",
    "of another": f"{_ANSWER}Comment: I had the same problem, this worked for me as well\n",
    "two values": f"{_ANSWER}Or even {_SHARE}=0.2.\n\nComment: that solved it, thanks\n",
    "another number": f"{_ANSWER}Comment: works now, I took 0.25 in the end\n",
    "in part": f"{_ANSWER}Comment: that only partly solved it\n",
    "what worked is no setting": (
        f"{_ANSWER}Answer 2: restart the NodeManagers\n\nComment: this worked, thanks\n"
    ),
    "what worked is something else": (
        f"{_ANSWER}Answer 2: turn mapreduce.map.output.compress=true on\n\n"
        "Comment: this worked, thanks\n"
    ),
}


@pytest.mark.parametrize("page", NOT_CONFIRMED)
def test_advice_that_nobody_confirms_is_no_more_than_that(page: str, tmp_path: Path) -> None:
    _, text = told_of(tmp_path, _ASKED + NOT_CONFIRMED[page])

    assert "error in shuffle" in text or "in the shuffle" in text
    assert f"With {_SHARE}" not in text


def test_who_thanks_above_the_mail_that_is_quoted_tells_what_helped(tmp_path: Path) -> None:
    quoted = "".join(f"> {line}\n" for line in _ASKED.splitlines())
    head = f"On Wed, Mar 2, 2016 at 12:00 PM, A Person <a@example.com> wrote:\n\n{quoted}"
    thanks = f"Hi Kim,\n\nwith {_SHARE}=0.35 the job went through. Thanks a lot\n\n"
    at_ours = f"Hi,\n\nat our place with {_SHARE}=0.35 the job went through, had the same.\n\n"

    _, of_the_asker = told_of(tmp_path, thanks + head)
    (tmp_path / "other").mkdir()
    _, of_another = told_of(tmp_path / "other", at_ours + head)

    assert _TO_KEEP in of_the_asker
    assert _TO_KEEP not in of_another


def test_a_check_of_the_cluster_that_helped_is_set_in_its_file(tmp_path: Path) -> None:
    asked = (
        f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000003_0, Status : "
        f"FAILED\nContainer [pid=9,containerID=container_{_JOB}_01_000045] is running beyond "
        "virtual memory limits. Current usage: 310.4 MB of 1 GB physical memory used; 2.3 GB of "
        "2.1 GB virtual memory used. Killing container.\n\n"
    )
    check = "yarn.nodemanager.vmem-check-enabled"
    answer = f"Answer 1: set {check}=false on all nodes\n\nComment: works now, thank you\n"

    _, text = told_of(tmp_path, asked + answer)

    assert f"With {check}=false it went through" in text
    assert f"{check}=false in yarn-site.xml" in text
    assert f"-D {check}" not in text
