"""One try: a copy of a world, a damage, a command line, and what must hold of it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builders.command_server import Job, Outcome, Server
from fuzz.checks import contents, problems_of
from fuzz.damages import DAMAGES, LOST, NotApplicable
from fuzz.worlds import READERS, Reader, Verb

__all__ = ["Tried", "Try", "all_tries", "try_out"]


@dataclass(frozen=True, slots=True)
class Try:
    """What is tried.

    Attributes:
        world: of the evidence.
        words: the command line.
        reader: whose file is damaged; None where an argument or the output is.
        damage: its name.
        job: how it is run: its folders are filled in.
        seed: of the damage.
    """

    world: str
    words: tuple[str, ...]
    reader: Reader | None
    damage: str
    job: Job
    seed: int

    def __str__(self) -> str:
        what = self.reader.name if self.reader is not None else self.job.stdout
        words = " ".join(word if len(word) < 60 else f"{word[:40]}..." for word in self.words)
        return f"{what} / {self.damage} / mprof {words!r}"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it; no problems is good."""

    one: Try
    outcome: Outcome
    problems: tuple[str, ...]


def all_tries(seed: int, extra: Sequence[Try]) -> Iterator[Try]:
    """Every reader by every damage by every verb that reads it, and the further ones."""
    for reader in READERS:
        for damage in DAMAGES:
            for verb in reader.verbs:
                yield _of(reader, damage, verb, seed)
    yield from extra


def _of(reader: Reader, damage: str, verb: Verb, seed: int) -> Try:
    own = zlib.crc32(repr((seed, reader.name, damage, verb)).encode())
    changing = reader.path if damage in {"shrinks", "grows"} else None
    delay = random.Random(own).choice([0, 0, 0.001, 0.003, 0.01, 0.03])
    job = Job(
        words=(), folder="", scratch="", unprivileged=damage == "no permission",
        changing=changing, grows=damage == "grows", delay=delay,
    )  # fmt: skip
    return Try(reader.world, verb, reader, damage, job, own)


def try_out(server: Server, one: Try, worlds: Mapping[str, Path]) -> Tried | None:
    """Make the damage in a copy of the world and run; None where the damage does not fit."""
    with tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True) as made:
        root = Path(made)
        root.chmod(0o777)
        folder, scratch = root / "w", root / "s"
        shutil.copytree(worlds[one.world], folder, symlinks=True)
        (scratch / "tmp").mkdir(parents=True)
        words, lost = one.words, False
        if one.reader is not None:
            target = folder / one.reader.path
            try:
                now = DAMAGES[one.damage](target, random.Random(one.seed))
            except NotApplicable:
                return None
            lost = one.damage in LOST and one.reader.is_said
            words = _named(words, one.reader.path, str(now.relative_to(folder)))
        if one.job.unprivileged:
            _give_away(root)
        if one.world == "outputs":
            _odd_targets(folder)
        with contextlib.ExitStack() as mounted:
            if one.job.full_temporary:
                mounted.enter_context(_full(scratch / "tmp"))
            if one.job.full_folder:
                mounted.enter_context(_full(folder))
            return _run(server, one, words, folder, scratch, lost=lost)


def _run(
    server: Server, one: Try, words: tuple[str, ...], folder: Path, scratch: Path, *, lost: bool
) -> Tried:
    before = contents(folder) if one.job.changing is None else {}
    outcome = server.run(replace(one.job, words=words, folder=str(folder), scratch=str(scratch)))
    after = contents(folder)
    found = problems_of(
        outcome, words=words, before=before, after=after, left=_left(scratch / "tmp"),
        stdout=one.job.stdout, may_delete=words[0] == "clean",
    )  # fmt: skip
    if lost and outcome.code == 0 and "--json" in words and not _says_a_loss(outcome):
        found.append("says nothing of what it could not read")
    return Tried(one, outcome, tuple(found))


def _named(words: tuple[str, ...], path: str, now: str) -> tuple[str, ...]:
    """The words with ``{}``, and the name of what was renamed, as it is called now."""
    head, old, new = path.split("/")[0], path, now
    if "/" in path:
        return tuple(new if word in {"{}", old} else word for word in words)
    return tuple(new if word in {"{}", head} else word for word in words)


def _left(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.name != "filler")


def _says_a_loss(outcome: Outcome) -> bool:
    try:
        told = json.loads(outcome.stdout)
    except ValueError:
        return True  # reported as what it is
    results = told if isinstance(told, list) else [told]
    return any(isinstance(each, dict) and each.get("losses") for each in results)


def _give_away(root: Path) -> None:
    """Let an unprivileged run write where a run writes, and read all that has no mode of 0."""
    root.chmod(0o777)
    for path in root.rglob("*"):
        if not path.is_symlink() and path.stat().st_mode & 0o777:
            path.chmod(0o777 if path.is_dir() else 0o666)


def _odd_targets(folder: Path) -> None:
    """Where a report may be asked to go."""
    os.mkfifo(folder / "pipe")
    (folder / "circle").symlink_to("circle")
    (folder / "dangling").symlink_to("nowhere")


@contextlib.contextmanager
def _full(folder: Path) -> Iterator[None]:
    """What is in the folder, on a disk of its own that has no byte left."""
    kept = folder.with_name("kept")
    shutil.copytree(folder, kept, symlinks=True)
    room = sum(-(-path.stat().st_size // 4096) * 4096 for path in kept.rglob("*") if path.is_file())
    size = room + (64 << 10)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "fuzz", folder], check=True)
    try:
        shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(kept)
        filler = folder / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
