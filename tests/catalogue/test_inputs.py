"""Generated input: a seed fixes every byte, and another seed changes them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import numpy as np
import pytest

from mprof.catalogue import load_cases, with_input
from mprof.catalogue.inputs import make_input
from mprof.catalogue.text import (
    lines_of,
    random_words,
    write_lines,
    write_text,
    zipf_ranks,
)

ROOT = Path(__file__).parents[2] / "cases"
CASES = {case.slug: case for case in load_cases(ROOT)}
SMALL_BYTES = 300_000


def digest(folder: Path) -> str:
    text = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        text.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return text.hexdigest()


@pytest.mark.parametrize("slug", sorted(CASES))
def test_a_seed_gives_the_same_bytes_and_another_seed_others(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = msgspec.structs.replace(
        CASES[slug], input=msgspec.structs.replace(CASES[slug].input, bytes=SMALL_BYTES)
    )
    made = []
    for place, seed in (("a", 5), ("b", 5), ("c", 6)):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / place))
        made.append(digest(make_input(case, seed=seed)))

    assert made[0] == made[1]
    assert made[0] != made[2]


def test_input_is_generated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    case = CASES["in-mem-word-count"]
    case = msgspec.structs.replace(
        case, input=msgspec.structs.replace(case.input, bytes=SMALL_BYTES)
    )
    first = make_input(case, seed=1)
    marker = first / "text.txt"
    marker.write_bytes(b"kept")

    assert make_input(case, seed=1) == first
    assert marker.read_bytes() == b"kept"


def test_input_of_another_size_does_not_push_out_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    case = CASES["in-mem-word-count"]
    small, large = (with_input(case, size_bytes=size) for size in (SMALL_BYTES, 2 * SMALL_BYTES))

    folders = [make_input(small, seed=1), make_input(large, seed=1)]

    sizes = [(folder / "text.txt").stat().st_size for folder in folders]
    assert sizes == pytest.approx([SMALL_BYTES, 2 * SMALL_BYTES], rel=0.01)
    # input of the same size that an older generator made is of no use any more
    outdated = folders[0].with_name(f"{folders[0].name.rsplit('-', 1)[0]}-0123456789ab")
    folders[0].rename(outdated)
    assert make_input(small, seed=1) == folders[0]
    assert not outdated.exists()


def test_zipf_ranks_follow_their_weights() -> None:
    draws = zipf_ranks(np.random.default_rng(3), 400_000, ranks=4, exponent=1.0)

    # weights 1, 1/2, 1/3, 1/4: of 25/12
    shares = np.bincount(draws, minlength=4) / len(draws)
    assert shares == pytest.approx([12 / 25, 6 / 25, 4 / 25, 3 / 25], abs=0.005)


def test_random_words_have_the_lengths_asked_for() -> None:
    words = random_words(np.random.default_rng(3), 1000, shortest=5, longest=8).tolist()

    assert {len(word) for word in words} == {5, 6, 7, 8}
    assert all(word.isalpha() and word.islower() for word in words)


def test_lines_are_written_until_the_size_is_reached(tmp_path: Path) -> None:
    lines = lines_of([b"aa", b"bb", b"cc", b"dd"], per_line=[2, 1, 1])

    written = write_lines(tmp_path / "x", lines, size_bytes=8)

    assert (tmp_path / "x").read_bytes() == b"aa bb\ncc\n"
    assert written == 9


def test_plain_text_has_its_words_evenly(tmp_path: Path) -> None:
    write_text(tmp_path / "x", seed=3, size_bytes=100_000, vocabulary=4, words_per_line=5)

    lines = (tmp_path / "x").read_text().splitlines()
    words = [word for line in lines for word in line.split()]
    assert {len(line.split()) for line in lines} == {5}
    assert len(set(words)) == 4
    assert max(words.count(each) for each in set(words)) < 0.3 * len(words)


def test_sales_of_one_kind_are_larger_and_not_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the page of join-large-groups says of its data: a hot key by bytes, not by records."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    case = CASES["join-large-groups"]
    case = msgspec.structs.replace(case, input=msgspec.structs.replace(case.input, bytes=5_000_000))
    sizes: dict[bytes, list[int]] = {}
    for line in (make_input(case, seed=1) / "sales.txt").read_bytes().splitlines():
        sizes.setdefault(line.split(b"|")[0], []).append(len(line))

    assert len(sizes) == 20
    in_bytes = sorted(sum(each) for each in sizes.values())
    records = sorted(len(each) for each in sizes.values())
    assert in_bytes[-1] > 15 * in_bytes[-2]
    assert records[-1] < 1.1 * records[0]
