"""`mprof import` takes in every file once, and says what it could not read."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from builders.commands import mprof
from builders.shared_data import SHARED_DATA, needs_shared_data

from mprof.errors import EvidenceError
from mprof.sources import FileImport, import_files
from mprof.store import Store

HEADER = "host\top\tstart_ms\tend_ms\tstatus\n"


def _recording(*rows: str) -> str:
    return HEADER + "".join(f"{row}\n" for row in rows)


def _line(host: str = "datanode001", start: float = 0.0, status: str = "ok") -> str:
    return f"{host}\twriteBlock\t{start:.3f}\t{start + 250:.3f}\t{status}"


def _run(store: Path, *what: Path) -> list[FileImport]:
    return list(import_files(what, Store(store)))


def _cli(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return mprof("import", *arguments)


def test_the_same_content_is_taken_in_once_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / "in" / name).write_text(_recording(_line()))

    first = _run(tmp_path / "store", tmp_path / "in")
    again = _run(tmp_path / "store", tmp_path / "in")

    assert ["imported", "there already"] == [one.outcome for one in first]
    assert ["there already", "there already"] == [one.outcome for one in again]
    assert 1 == len(Store(tmp_path / "store").read("transfers"))


def test_provenance_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "a.tsv"
    log.write_text(_recording(_line(), "damaged"))

    (one,) = _run(tmp_path / "store", log)
    store = Store(tmp_path / "store")
    (note,) = store.read("sources").to_dict("records")

    assert (str(log), "TraceBench recording", 1, 1) == (
        note["path"], note["kind"], note["rows"], note["unread"],
    )  # fmt: skip
    assert one.first_unread == note["first_unread"]
    assert "damaged" in note["first_unread"]
    assert [one.source] == store.read("transfers")["source"].tolist()
    assert log.stat().st_size == note["bytes"]


def test_a_file_that_has_grown_replaces_what_was_read_of_it(tmp_path: Path) -> None:
    log = tmp_path / "a.tsv"
    for count in (1, 2, 3):
        log.write_text(_recording(*(_line(start=each) for each in range(count))))
        _run(tmp_path / "store", log)

    store = Store(tmp_path / "store")
    assert [0.0, 0.001, 0.002] == store.read("transfers")["started_s"].tolist()
    assert 1 == len(store.sources())


def test_a_file_with_a_new_content_under_an_old_name_costs_no_rows(tmp_path: Path) -> None:
    log = tmp_path / "a.tsv"
    log.write_text(_recording(_line("datanode001")))
    _run(tmp_path / "store", log)
    log.write_text(_recording(_line("datanode002"), _line("datanode003")))
    _run(tmp_path / "store", log)

    hosts = Store(tmp_path / "store").read("transfers")["host"]
    assert {"datanode001", "datanode002", "datanode003"} == set(hosts)


KILLED = """
import os, signal, sys
from pathlib import Path
from mprof.sources import import_files
from mprof.store import Store
for _ in import_files([Path(sys.argv[1])], Store(Path(sys.argv[2]))):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_import_killed_between_two_files_goes_on_with_the_second(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in (1, 2, 3):
        (tmp_path / "in" / f"{number}.tsv").write_text(_recording(_line(f"datanode00{number}")))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "in"), str(tmp_path / "store")], check=False
    )
    assert -signal.SIGKILL == done.returncode
    assert 1 == len(Store(tmp_path / "store").read("transfers"))
    (broken_off,) = Store(tmp_path / "store").unfinished()
    assert (str(tmp_path / "in"),) == broken_off.what
    assert "was broken off: run it again" in broken_off.sentence

    _run(tmp_path / "store", tmp_path / "in" / ".." / "in" / "2.tsv")
    assert (broken_off,) == Store(tmp_path / "store").unfinished()  # there is more in the folder

    outcomes = [one.outcome for one in _run(tmp_path / "store", tmp_path / "in")]

    assert ["there already", "there already", "imported"] == outcomes
    assert () == Store(tmp_path / "store").unfinished()
    assert 3 == len(Store(tmp_path / "store").read("transfers"))


def test_an_import_that_is_running_is_told_from_one_that_was_broken_off(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(_recording(_line()))
    store = Store(tmp_path / "store")

    for _ in import_files([tmp_path / "a.tsv"], store):
        (running,) = store.unfinished()
        assert running.is_running
        assert "is still running" in running.sentence
    assert () == store.unfinished()


def test_a_process_of_the_same_number_is_not_the_import(tmp_path: Path) -> None:
    """As in containers, in which every import may have the number 1."""
    (tmp_path / "a.tsv").write_text(_recording(_line()))
    store = Store(tmp_path / "store")
    for _ in import_files([tmp_path / "a.tsv"], store):
        (mark,) = store.folder.glob("importing-*.json")
        told = json.loads(mark.read_bytes())
    earlier = {**told, "process_started_s": told["process_started_s"] - 3600}
    mark.write_text(json.dumps(earlier))

    (broken_off,) = store.unfinished()
    assert not broken_off.is_running
    elsewhere = {**told, "machine": "node-7"}
    mark.write_text(json.dumps(elsewhere))
    (unknown,) = store.unfinished()
    assert "on node-7 has not ended" in unknown.sentence

    _run(store.folder, tmp_path)  # the folder with the file
    assert () == store.unfinished()


def test_many_names_are_counted(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.tsv" for number in range(7)]
    for file in files:
        file.write_text(_recording(_line(file.stem)))
    for _ in import_files(files, Store(tmp_path / "store")):
        (running,) = Store(tmp_path / "store").unfinished()
        assert " and 4 more is still running" in running.sentence


def test_a_mark_that_was_cut_off_says_that_there_was_one(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(_recording(_line()))
    store = Store(tmp_path / "store")
    (store.folder / "importing-1.json").write_text('{"what": ["/')

    (broken_off,) = store.unfinished()
    assert "what it was given is not known" in broken_off.sentence

    _run(store.folder, tmp_path / "a.tsv")
    assert () == store.unfinished()


def test_a_store_among_the_files_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(_recording(_line()))
    _run(tmp_path / "store", tmp_path)

    assert ["there already"] == [one.outcome for one in _run(tmp_path / "store", tmp_path)]


def test_files_that_cannot_be_read_cost_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a-empty.tsv").touch()
    os.mkfifo(folder / "b-pipe")
    (folder / "c-link").symlink_to(folder / "nothing")
    (folder / "d-damaged.gz").write_bytes(b"\x1f\x8b" + b"\x07" * 100)
    (folder / "e-header.jhist").write_text("Avro-Json\n")
    (folder / "f-foreign.bin").write_bytes(bytes(range(256)) * 100)
    (folder / "g.tsv").write_text(_recording(_line()))

    found = {one.path.name[0]: one for one in _run(tmp_path / "store", folder)}

    assert {
        "a": "unreadable", "b": "unreadable", "c": "unreadable", "d": "unreadable",
        "e": "unreadable", "f": "of no known kind", "g": "imported",
    } == {key: one.outcome for key, one in found.items()}  # fmt: skip
    assert "it is empty" == found["a"].first_unread
    assert "it is a pipe, not a file" == found["b"].first_unread
    assert "damaged from the start" in str(found["d"].first_unread)
    assert 1 == len(Store(tmp_path / "store").sources())


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_a_compressed_file_that_is_cut_off_is_read_as_far_as_it_goes(
    tmp_path: Path, share: float
) -> None:
    lines = [_line(f"datanode{number % 50:03}", number * 7.25) for number in range(2_000)]
    whole = gzip.compress(_recording(*lines).encode())
    log = tmp_path / "a.tsv.gz"
    log.write_bytes(whole[: int(len(whole) * share)])

    (one,) = _run(tmp_path / "store", log)
    started = Store(tmp_path / "store").read("transfers")["started_s"].tolist()

    assert "cut off" in str(one.first_unread)
    assert 0.15 * len(lines) < one.rows < len(lines)
    assert [number * 7.25 / 1000 for number in range(one.rows)] == pytest.approx(started)


def test_a_gzip_file_of_several_members_is_read_whole(tmp_path: Path) -> None:
    log = tmp_path / "a.tsv.gz"
    members = (_recording(_line()), f"{_line('datanode002')}\n", "")
    log.write_bytes(b"".join(gzip.compress(each.encode()) for each in members) + b"\0" * 512)

    (one,) = _run(tmp_path / "store", log)

    assert (2, 0) == (one.rows, one.unread)


def test_progress_tells_the_file_and_the_rows_so_far(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / "in" / f"{number}.tsv").write_text(_recording(_line(f"datanode00{number}")))
    told: list[tuple[str, float | None]] = []
    store = Store(tmp_path / "store")
    list(import_files([tmp_path / "in"], store, progress=lambda *each: told.append(each)))

    assert [
        ("file 1 of 2, 0 rows: 1.tsv", 0.0), ("file 1 of 2, 1 rows: 1.tsv", 0.0),
        ("file 2 of 2, 1 rows: 2.tsv", 0.5), ("file 2 of 2, 2 rows: 2.tsv", 0.5),
    ] == told  # fmt: skip


def test_a_name_of_nothing_is_said_before_anything_is_done(tmp_path: Path) -> None:
    log = tmp_path / "a.tsv"
    log.write_text(_recording(_line()))
    with pytest.raises(EvidenceError, match="there is no"):
        _run(tmp_path / "store", log, tmp_path / "nothing")
    assert () == Store(tmp_path / "store").sources()


def test_the_command_tells_what_it_did_and_ends_with_0(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(_recording(_line(), _line("datanode002")))
    (tmp_path / "notes.pdf").write_bytes(b"%PDF-1.7\n")

    done = _cli(tmp_path, "--store", tmp_path / "store")

    assert 0 == done.returncode, done.stderr
    assert "2 files: 1 imported, 1 of no known kind; 2 rows in" in done.stdout


def test_the_command_prints_one_json_object(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(_recording(_line(), "damaged"))

    done = _cli(tmp_path, "--store", tmp_path / "store", "--json")
    (one,) = json.loads(done.stdout)["files"]

    assert ("imported", "TraceBench recording", 1, 1) == (
        one["outcome"], one["kind"], one["rows"], one["unread"],
    )  # fmt: skip
    assert "one part was not read" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", b"", "it is empty"),
        ("a.bin", b"\x7fELF", "of no known kind"),
        ("a.jhist", b"Avro-Json\n{", "cut off or damaged in its second line"),
    ],
)
def test_a_named_file_that_gives_nothing_ends_the_command_with_3(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)

    done = _cli(file, "--store", tmp_path / "store")

    assert 3 == done.returncode
    assert said in done.stdout
    assert "Next step: " in done.stdout
    assert "mprof: 1 of 1 files could not be read\nnext step: " in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_an_empty_folder_ends_the_command_with_3(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = _cli(tmp_path / "in", "--store", tmp_path / "store")
    assert (3, True) == (done.returncode, "mprof: there is no file in " in done.stderr)


def test_a_name_that_no_terminal_should_see_is_harmless(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a\x1b[2J\udcff.tsv").write_text(_recording(_line(), "x\x1b[2J"))

    done = _cli(folder, "--store", tmp_path / "store")

    assert 0 == done.returncode, done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@needs_shared_data
def test_the_recordings_are_read_whole(tmp_path: Path) -> None:
    done = _cli(SHARED_DATA / "tracebench", "--store", tmp_path / "store", "--json")
    assert 0 == done.returncode, done.stderr
    store = Store(tmp_path / "store")
    roles = store.read("transfers", columns=["host"])["host"].str.replace(r"[0-9]+", "", regex=True)

    # As the README of the recordings says.
    assert {"client": 135_186, "datanode": 240_912, "namenode": 53_121} == dict(
        roles.value_counts()
    )
    assert 50 == len(store.read("nodes"))
    assert 0 == store.read("sources")["unread"].sum()
