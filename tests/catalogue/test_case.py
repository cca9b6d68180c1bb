"""Cases are read strictly: a bad one is one clear line that names the file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from mprof.catalogue import at_scale, cases_root, find_case, load_cases, replay_case, run_case
from mprof.catalogue.case import load_case, setting_options
from mprof.errors import ClusterError, UsageError

ROOT = Path(__file__).parents[2] / "cases"
GOOD = """
slug = "tiny"
number = 100
title = "A tiny job"
symptom = "it dies"
phase = "map"
library = "none"
variant = "plain"

[job]
main = "org.example.Tiny"

[job.settings]
"mapreduce.job.reduces" = 3
"mapreduce.map.speculative" = false

[input]
seed = 7
bytes = 1000

[expected]
kind = "heap"
phase = "map"
frames = ["org.example.Tiny.map"]
causes = ["hotspot_key"]
"""


def make_case(root: Path, text: str = GOOD) -> Path:
    folder = root / "tiny"
    (folder / "job").mkdir(parents=True)
    (folder / "data.py").write_text("")
    (folder / "case.toml").write_text(text)
    return folder


def test_a_case_is_read_whole(tmp_path: Path) -> None:
    case = load_case(make_case(tmp_path))

    assert (case.slug, case.input.seed, case.expected.causes) == ("tiny", 7, ("hotspot_key",))
    assert case.paper is None


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("seed = 7", 'seed = "seven"', "input.seed"),
        ("seed = 7", "seeds = 7", "seeds"),
        ('slug = "tiny"', 'slug = "other"', "its folder 'tiny'"),
        ("bytes = 1000", "bytes = 0", "input.bytes must be positive"),
        ('kind = "heap"', 'kind = "boredom"', "boredom"),
        ('phase = "map"\nlibrary', 'phase = "lunch"\nlibrary', "lunch"),
        ('variant = "plain"', 'variant = "plain"\nkind = "control"', "must expect no cause"),
        ('causes = ["hotspot_key"]', "causes = []", "or the holder that fills the heap"),
        ("[input]", "[input", "not a valid case"),
        ("[expected]", "[scale.big]\nbytes = 0\n[expected]", "scale.big.bytes must be positive"),
        ("[expected]", "[scale.big]\nsettings = {}\n[expected]", "bytes"),
    ],
)
def test_a_bad_case_is_one_line_that_names_the_file(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    folder = make_case(tmp_path, GOOD.replace(old, new, 1))

    with pytest.raises(UsageError) as raised:
        load_case(folder)

    assert str(folder / "case.toml") in raised.value.what
    assert complaint in raised.value.what
    assert "\n" not in raised.value.what


def test_a_cause_of_no_rule_is_told_before_the_case_is_run_or_replayed(tmp_path: Path) -> None:
    folder = make_case(tmp_path, GOOD.replace("hotspot_key", "hot_potato", 1))
    case = load_case(folder)

    for use in (replay_case, partial(run_case, capture=tmp_path / "capture")):
        with pytest.raises(UsageError, match="no rule names the cause 'hot_potato'") as raised:
            use(case)
        assert str(folder / "case.toml") in raised.value.what
    assert not (tmp_path / "capture").exists()


def test_a_case_of_none_of_the_causes_names_the_holder_that_fills_the_heap(tmp_path: Path) -> None:
    holder = '[expected.holder]\nclass = "org.example.Reader"\npath = "block"\n'
    text = GOOD.replace('causes = ["hotspot_key"]', f"causes = []\n{holder}")

    case = load_case(make_case(tmp_path, text))

    assert case.expected.causes == ()
    assert case.expected.holder is not None


def test_a_scale_wins_over_the_case_and_leaves_the_rest(tmp_path: Path) -> None:
    scale = """
[scale.big]
bytes = 5000
[scale.big.settings]
"mapreduce.job.reduces" = 10
"mapreduce.task.io.sort.mb" = 400
"""
    case = load_case(make_case(tmp_path, GOOD + scale))

    big = at_scale(case, "big")

    assert (big.input.seed, big.input.bytes) == (7, 5000)
    assert big.job.settings == {
        "mapreduce.job.reduces": 10,
        "mapreduce.map.speculative": False,
        "mapreduce.task.io.sort.mb": 400,
    }
    assert (big.job.main, big.expected) == (case.job.main, case.expected)
    assert (case.input.bytes, case.job.settings["mapreduce.job.reduces"]) == (1000, 3)
    with pytest.raises(UsageError, match="tiny has no scale 'paper'"):
        at_scale(case, "paper")


def test_a_case_without_sources_says_so(tmp_path: Path) -> None:
    folder = make_case(tmp_path)
    (folder / "job").rmdir()

    with pytest.raises(UsageError, match="job is missing"):
        load_case(folder)


def test_a_program_of_a_library_may_need_no_files(tmp_path: Path) -> None:
    text = GOOD.replace('library = "none"', 'library = "lib"')
    text = text.replace('main = "org.example.Tiny"', 'command = ["program", "{input}"]')
    folder = make_case(tmp_path, text)
    (folder / "job").rmdir()

    assert load_case(folder).job.command == ("program", "{input}")
    (folder / "case.toml").write_text(text.replace("{input}", "{job}/script"))
    with pytest.raises(UsageError, match="job is missing"):
        load_case(folder)


def test_coverage_and_controls_have_folders_of_their_own(tmp_path: Path) -> None:
    control = GOOD.replace('variant = "plain"', 'variant = "plain"\nkind = "control"')
    control = control.replace('"hotspot_key"', "").replace('"heap"', '"none"')
    make_case(tmp_path / "controls", control)
    coverage = GOOD.replace('variant = "plain"', 'variant = "plain"\nkind = "coverage"')
    make_case(tmp_path / "coverage", coverage.replace("100", "99"))

    found = load_cases(tmp_path)

    assert [(case.kind, case.relative_path, case.fails) for case in found] == [
        ("coverage", "coverage/tiny", True),
        ("control", "controls/tiny", False),
    ]


def test_a_plain_variant_stands_in_the_folder_of_its_case(tmp_path: Path) -> None:
    library = GOOD.replace(
        'library = "none"\nvariant = "plain"', 'library = "x"\nvariant = "library"'
    )
    folder = make_case(tmp_path, library)
    make_case(tmp_path / "other", GOOD.replace('"tiny"', '"tiny-plain"'))
    (tmp_path / "other" / "tiny").rename(folder / "plain")

    found = load_cases(tmp_path)

    assert [(case.slug, case.relative_path, case.is_plain_variant) for case in found] == [
        ("tiny", "tiny", False),
        ("tiny-plain", "tiny/plain", True),
    ]
    assert {case.root for case in found} == {tmp_path}


def test_a_control_among_the_cases_is_sent_to_its_folder(tmp_path: Path) -> None:
    control = GOOD.replace('variant = "plain"', 'variant = "plain"\nkind = "control"')
    make_case(tmp_path, control.replace('"hotspot_key"', ""))

    with pytest.raises(UsageError, match="has kind control") as raised:
        load_cases(tmp_path)

    assert raised.value.next_step.endswith("controls/tiny")


def test_an_unknown_case_lists_those_there_are(tmp_path: Path) -> None:
    make_case(tmp_path)

    with pytest.raises(UsageError, match="no case 'small'") as raised:
        find_case(tmp_path, "small")

    assert "tiny" in raised.value.next_step


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no case"):
        cases_root(tmp_path)
    with pytest.raises(UsageError, match="holds no case"):
        load_cases(tmp_path)


def test_settings_become_options_as_hadoop_reads_them() -> None:
    assert setting_options({"a.b": 3, "c": False, "d": "-Xmx1g -Dx"}) == (
        "-D", "a.b=3", "-D", "c=false", "-D", "d=-Xmx1g -Dx",
    )  # fmt: skip


def test_every_case_of_the_checkout_is_complete() -> None:
    cases = load_cases(ROOT)

    for case in cases:
        assert (case.folder / "README.md").is_file(), case.slug
        repaired = (case.folder / "fixed").is_dir() or bool(case.fixed.settings)
        assert repaired == (case.kind != "control"), f"{case.slug}: repaired {repaired}"
    assert len({(case.number, case.is_plain_variant) for case in cases}) == len(cases)


def test_cases_in_a_folder_that_is_open_to_others_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Anybody can make a folder of cases in /tmp, and whoever works there would run it.
    planted = tmp_path / "cases" / "mine"
    planted.mkdir(parents=True)
    (planted / "case.toml").touch()
    monkeypatch.chdir(tmp_path)
    assert cases_root(None) == planted.parent

    planted.parent.chmod(0o1777)
    with pytest.raises(ClusterError, match="others could have written it"):
        cases_root(None)
