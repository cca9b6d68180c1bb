"""The switch stops by itself: what histories show of harm, and how often that is wrong."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.drawn_jobs import GONE, TOLD, Attempt, Drawn, containers
from scipy import stats
from typer.testing import CliRunner

from mprof.cli.switch import app
from mprof.errors import EvidenceError, UsageError
from mprof.hadoop import block_text
from mprof.history import read_conf, read_history
from mprof.io.files import UnreadableError
from mprof.runs import switch_check
from mprof.runs.agent_injection import checksum
from mprof.runs.draw import draw
from mprof.runs.switch import Switch, ended_jobs_here, open_book, trial_of
from mprof.runs.switch.harm import FALSE_ALARMS, LIMIT, harm_in, largest_log_evidence
from mprof.runs.switch.trial import OUTCOMES, Arms, Trial

SHARE = 0.3
AGENT = checksum(b"jar")
SWITCH = Switch(None, "/opt/mprof/mprof-agent.jar", AGENT, "hdfs://nn/c", share=SHARE)
WELL = {True: (0.0, ""), False: (0.0, "")}
BAD = {True: (0.8, GONE), False: (0.01, TOLD)}


def conf(switch: Switch = SWITCH, **more: str) -> dict[str, str]:
    return switch.properties | {key.replace("_", "."): value for key, value in more.items()}


def trial(job: Drawn, folder: Path) -> Trial | None:
    job.write(folder)
    (ended,) = [each for each in ended_jobs_here(folder) if each.job_id == job.job_id]
    return trial_of(read_history(Path(ended.history)), read_conf(Path(ended.conf)))


def counted(watched: int, others: int, share: float = SHARE, agent: str = AGENT) -> Trial:
    """A job of which so many first attempts failed with a word of their own."""
    none = Arms(0, 0)
    bad = {"failed": Arms(watched, others), "silent": none, "late": none}
    return Trial(0, agent, share, Arms(100, 100), bad)


# --- what a history tells -----------------------------------------------------------------------


def test_ends_are_counted_for_those_in_the_share_and_for_the_others(tmp_path: Path) -> None:
    ids = list(itertools.islice(containers(7), 200))
    inside = [each for each in ids if (draw(each) or 0) < SHARE]
    outside = [each for each in ids if each not in inside]
    job = Drawn(7, conf())
    job.attempts = [
        *(Attempt(each) for each in (*inside[:9], *outside[:9])),
        Attempt(inside[10], "FAILED", TOLD),
        Attempt(outside[10], "FAILED", "\n" + TOLD + "Exit code is 143\n"),
        Attempt(inside[11], "FAILED", GONE),
        Attempt(inside[12], "FAILED", "AttemptID:attempt_1 Timed out after 600 secs"),
        Attempt(inside[13], "KILLED"),
        Attempt(outside[11], seconds=19),
        Attempt(outside[12], seconds=21),
        Attempt("none"),
    ]

    found = trial(job, tmp_path)

    assert found is not None
    assert (found.agent, found.share, found.attempts) == (AGENT, SHARE, Arms(13, 12))
    assert found.outcomes == {"failed": Arms(3, 1), "silent": Arms(2, 0), "late": Arms(1, 1)}


@pytest.mark.parametrize(
    "other",
    [
        {"mapreduce.job.name": "words"},
        conf(replace(SWITCH, share=None)),
        conf(replace(SWITCH, share=1.0)),
        conf(mapreduce_task_profile="false"),
        conf(mapreduce_task_profile_maps="0-2"),
        conf(mapreduce_task_profile_map_params="-Xss1m"),
        conf(mapreduce_task_profile_params="-Xss1m"),
    ],
)
def test_a_job_in_which_nothing_was_drawn_tells_nothing(
    other: dict[str, str], tmp_path: Path
) -> None:
    assert trial(Drawn(7, other).add(SHARE, 20, BAD), tmp_path) is None


# --- what counts as shown -----------------------------------------------------------------------


def test_the_evidence_is_expected_to_stay_at_one_while_the_agent_is_harmless() -> None:
    # All ways in which three jobs with 3, 4 and 2 failed attempts can have been drawn.
    shares = (0.05, 0.3, 0.3)
    expected = 0.0
    for drawn in itertools.product(range(4), range(5), range(3)):
        ends = zip(drawn, (3, 4, 2), shares, strict=True)
        chance, trials = 1.0, []
        for watched, failed, share in ends:
            chance *= float(stats.binom.pmf(watched, failed, share))
            trials.append(counted(watched, failed - watched, share))
        expected += chance * math.exp(_last_log_evidence(trials))

    assert math.isclose(1.0, expected, rel_tol=1e-9)


def _last_log_evidence(trials: list[Trial]) -> float:
    """After the last job, by the definition: term by term."""
    total = 0.0
    for ratio in (2.0, 5.0, 20.0, 100.0):
        for begin in range(len(trials)):
            product = 1.0
            for each in trials[begin:]:
                bad, share = each.outcomes["failed"], each.share
                inside = share * ratio / (share * ratio + 1 - share)
                product *= (inside / share) ** bad.watched
                product *= ((1 - inside) / (1 - share)) ** bad.others
            total += product / ((begin + 1) * (begin + 2)) / 4
        total += 1 / (len(trials) + 1) / 4
    return math.log((total + 2) / 3)  # nothing was silent or late


def test_the_largest_evidence_is_that_of_the_definition() -> None:
    chance = np.random.default_rng(5)
    trials = [counted(*(int(each) for each in chance.integers(1, 4, 2))) for _ in range(12)]

    by_definition = [_last_log_evidence(trials[: n + 1]) for n in range(12)]

    assert math.isclose(max(0.0, *by_definition), largest_log_evidence(trials), abs_tol=1e-9)


def test_a_harmless_agent_is_hardly_ever_switched_off_however_often_it_is_asked() -> None:
    # Jobs fail for reasons of their own, some of them in nearly all attempts; asked after each.
    chance = np.random.default_rng(20261128)
    runs, alarms = 200, 0
    for _ in range(runs):
        share = float(chance.choice([0.01, 0.05, 0.3, 0.5, 0.95]))
        trials = []
        for _ in range(60):
            rate = float(chance.choice([0.0, 0.002, 0.02, 0.9], p=[0.3, 0.4, 0.25, 0.05]))
            failed, late = chance.binomial(int(chance.integers(1, 300)), [rate, 0.03])
            silent = chance.binomial(failed, 0.3)
            inside = chance.binomial([silent, failed - silent, late], share)
            ends = {
                "failed": Arms(int(inside[0] + inside[1]), int(failed - inside[0] - inside[1])),
                "silent": Arms(int(inside[0]), int(silent - inside[0])),
                "late": Arms(int(inside[2]), int(late - inside[2])),
            }
            trials.append(Trial(0, AGENT, share, Arms(0, 0), ends))
        alarms += largest_log_evidence(trials) >= math.log(LIMIT)

    assert alarms <= stats.binom.ppf(0.999, runs, FALSE_ALARMS)


@pytest.mark.parametrize(("share", "most"), [(0.05, 4), (0.3, 8), (0.5, 14)])
def test_an_agent_that_kills_what_it_is_in_is_off_after_a_few_tasks(
    share: float, most: int
) -> None:
    killed = next(
        number
        for number in range(100)
        if harm_in([all_silent(share) for _ in range(number)], AGENT).is_shown
    )

    assert killed <= most


def all_silent(share: float) -> Trial:
    gone, none = Arms(1, 0), Arms(0, 0)
    ends = {"failed": gone, "silent": gone, "late": none}
    return Trial(0, AGENT, share, Arms(1, 19), ends)


def test_harm_that_begins_late_is_shown_too_and_stays_shown() -> None:
    well = [counted(1, 2) for _ in range(300)]

    assert not harm_in(well, AGENT).is_shown
    assert harm_in([*well, *([counted(3, 0)] * 6)], AGENT).is_shown
    assert harm_in([*well, *([counted(3, 0)] * 6), *well], AGENT).is_shown


def test_each_agent_is_judged_by_its_own_jobs() -> None:
    both = [*([counted(3, 0)] * 6), *([counted(1, 2, agent="another")] * 6)]

    assert harm_in(both, AGENT).is_shown
    assert (6, False) == (harm_in(both, "another").jobs, harm_in(both, "another").is_shown)


# --- the command --------------------------------------------------------------------------------


def check(folder: Path, site: Path | None = None) -> tuple[int, dict]:  # type: ignore[type-arg]
    words = ["check", str(folder / "done"), "--state", str(folder / "book"), "--json"]
    done = CliRunner().invoke(app, words + (["--off-if-harmful", str(site)] if site else []))
    return done.exit_code, json.loads(done.stdout) if done.stdout else {}


def switched_on(folder: Path, switch: Switch = SWITCH) -> Path:
    site = folder / "mapred-site.xml"
    site.write_text(f"<configuration>\n{block_text(switch.properties)}</configuration>\n")
    return site


def test_a_bad_agent_is_switched_off_and_a_good_one_is_not(tmp_path: Path) -> None:
    site = switched_on(tmp_path)
    before = site.read_text()
    for number in range(1, 4):
        Drawn(number, conf()).add(SHARE, 30, WELL).write(tmp_path / "done/2026/11/28/000000")
    code, well = check(tmp_path, site)
    assert (0, False, 3, before) == (code, well["harmful"], well["jobs"], site.read_text())

    bad = Drawn(4, conf()).add(SHARE, 60, BAD)
    bad.write(tmp_path / "done/2026/11/29/000000")
    code, harm = check(tmp_path, site)

    lost = sum(each.error == GONE for each in bad.attempts)
    assert (1, True, 4) == (code, harm["harmful"], harm["jobs"])
    assert {"watched": lost, "others": 0} == harm["outcomes"]["silent"]
    assert "<configuration>\n</configuration>\n" == site.read_text()
    assert before == Path(harm["as_it_was"]).read_text()
    again, harm = check(tmp_path, site)
    assert (1, None) == (again, harm["as_it_was"])


def test_what_one_agent_did_does_not_switch_the_next_one_off(tmp_path: Path) -> None:
    Drawn(1, conf()).add(SHARE, 60, BAD).write(tmp_path / "done")
    repaired = replace(SWITCH, jar_checksum=checksum(b"repaired"))
    site = switched_on(tmp_path, repaired)

    with pytest.raises(EvidenceError, match="nothing to compare"):
        ask(tmp_path, site)
    Drawn(2, conf(repaired)).add(SHARE, 60, WELL).write(tmp_path / "done")
    code, harm = check(tmp_path, site)

    assert (0, checksum(b"repaired"), 1) == (code, harm["agent"], harm["jobs"])
    assert repaired.jar_checksum in site.read_text()


def ask(folder: Path, site: Path | None = None, book: str = "book") -> None:
    switch_check(
        histories=folder / "done",
        state=folder / book,
        since_s=None,
        site_file=site,
        embedded=False,
        conf_dir=None,
    )


def test_a_job_is_read_once_and_one_that_has_not_ended_is_read_later(tmp_path: Path) -> None:
    Drawn(1, conf()).add(SHARE, 60, BAD).write(tmp_path / "done")
    running = Drawn(2, conf(), ended=False).add(SHARE, 60, BAD)
    running.write(tmp_path / "done")
    first = check(tmp_path)
    running.ended = True
    running.write(tmp_path / "done")
    (tmp_path / "done" / f"{Drawn(1, {}).job_id}_conf.xml").write_text("damaged")
    second = check(tmp_path)

    assert [1, 2] == [found["jobs"] for _, found in (first, second)]
    assert [1, 0] == [len(found["not_read"]) for _, found in (first, second)]
    assert 2 == len((tmp_path / "book").read_text().splitlines())


def test_a_line_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    Drawn(1, conf()).add(SHARE, 60, BAD).write(tmp_path / "done")
    whole = check(tmp_path)
    book = tmp_path / "book"
    content = book.read_bytes()
    book.write_bytes(content[:-9])

    assert whole == check(tmp_path)
    assert content == book.read_bytes()


def test_a_book_that_is_none_or_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "done").mkdir()
    (tmp_path / "other").write_text('{"job": 5}\n')
    with pytest.raises(UnreadableError):
        ask(tmp_path, book="other")
    with open_book(tmp_path / "held"), pytest.raises(UsageError, match="another mprof"):
        ask(tmp_path, book="held")

    assert '{"job": 5}\n' == (tmp_path / "other").read_text()


def test_the_outcomes_are_told_as_text(tmp_path: Path) -> None:
    Drawn(1, conf()).add(SHARE, 60, BAD).write(tmp_path / "done")
    words = ["check", str(tmp_path / "done"), "--state", str(tmp_path / "book")]

    done = CliRunner().invoke(app, words)

    assert 1 == done.exit_code
    assert "harm is shown: the evidence is" in done.stdout
    assert {*OUTCOMES} <= {line.split()[0] for line in done.stdout.splitlines()}
