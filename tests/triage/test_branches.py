"""Which branch a job's trouble is told as, each trouble put into a job by itself and together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders.troubled_jobs import (
    APPLICATION_ERROR,
    BEGIN_S,
    DISK_FULL,
    OUT_OF_MEMORY,
    TroubledJob,
    add_rows,
)

from mprof.errors import EvidenceError
from mprof.store import Store
from mprof.triage import Branch, Triage
from mprof.triage.facts import facts_of
from mprof.triage.failures import failure_of
from mprof.triage.ranking import triage_job
from mprof.triage.settings import settings_branch


def triaged(folder: Path, *jobs: TroubledJob) -> Triage:
    """The triage of the first of these jobs."""
    store = Store(folder / "store")
    for job in jobs:
        job.into(store)
    return triage_job(facts_of(store, jobs[0].id, diagnose_command="mprof diagnose FILE"))


def fired(triage: Triage) -> list[tuple[str, str | None]]:
    return [(one.name, one.confidence) for one in triage.fired]


def ids(branch: Branch) -> list[str]:
    return [one.id for one in branch.findings]


def test_of_a_healthy_job_nothing_fires_and_all_is_known(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob())

    assert [one.verdict for one in triage.branches] == ["silent"] * 5


def test_a_slow_node_is_named_and_its_cost_is_that_of_its_attempts(tmp_path: Path) -> None:
    job = TroubledJob(slower={3: 4})
    triage = triaged(tmp_path, job)
    node = triage.branch("node")

    assert fired(triage) == [("node", "possible")]
    assert node.findings[0].hosts == (job.host(3),)
    assert node.seconds is not None
    # Of an attempt that takes four times as long, three quarters are the node's.
    own = Store.at(tmp_path / "store").read("attempts").query(f"host == '{job.host(3)}'")
    spent_s = float((own["finished_s"] - own["started_s"]).sum())
    assert node.seconds == pytest.approx(0.75 * spent_s, rel=0.05)


def test_a_reducer_out_of_memory_is_memory_and_no_node(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(failing_tasks={("reduce", 5): OUT_OF_MEMORY}))

    assert fired(triage) == [("memory", "sure")]
    assert triage.branch("memory").ended_job
    assert triage.branch("node").verdict == "silent"
    assert triage.branch("application").verdict == "silent"
    assert "see memory" in str(triage.branch("application").why)


def test_attempts_that_run_out_of_memory_on_one_node_alone_do_not_make_it_sick(
    tmp_path: Path,
) -> None:
    # Of any other error this would be the node's: it fails there, and succeeds elsewhere.
    triage = triaged(tmp_path, TroubledJob(failing_nodes={2: OUT_OF_MEMORY}))

    assert fired(triage) == [("memory", "sure")]
    assert triage.branch("node").verdict != "fires"


def test_an_error_met_on_several_nodes_is_the_application(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(failing_tasks={("map", 60): APPLICATION_ERROR}))
    finding = triage.branch("application").findings[0]

    assert fired(triage) == [("application", "sure")]
    assert finding.ended_job
    assert len(finding.hosts) == 4
    assert "NumberFormatException at java.lang.Integer.parseInt" in finding.sentence


def test_failures_that_leave_no_diagnostics_are_not_called_no_memory(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(failing_tasks={("reduce", 5): None}))

    assert triage.branch("memory").verdict == "cannot tell"
    # None is needed for it: the task failed on each of the nodes that tried it.
    assert fired(triage) == [("application", "likely")]


def test_failures_by_a_full_disk_are_the_nodes(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(failing_nodes={2: DISK_FULL}))

    assert [name for name, _ in fired(triage)] == ["node"]
    assert ids(triage.branch("node"))[0] == "failures_of_the_node"
    assert triage.branch("node").findings[0].hosts == ("node-02",)


def test_a_node_that_cannot_copy_from_others_is_named_and_they_are_not(tmp_path: Path) -> None:
    not_copied = (
        "Too many fetch failures. Failing the attempt. Last failure reported by "
        "attempt_1700000000_0001_r_000001_0 from host node-02"
    )
    triage = triaged(tmp_path, TroubledJob(failing_nodes={4: not_copied, 5: not_copied}))

    found = triage.branch("node").findings

    assert [("copies_that_failed", ("node-02",))] == [(one.id, one.hosts) for one in found]


def test_tasks_that_fail_on_one_node_and_succeed_elsewhere_are_the_nodes(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(failing_nodes={2: APPLICATION_ERROR}))

    assert [name for name, _ in fired(triage)] == ["node"]
    assert ids(triage.branch("node")) == ["sick_node"]
    assert "tasks that failed, and not elsewhere" in triage.branch("node").findings[0].sentence
    assert "node-02 alone" in str(triage.branch("application").why)


def test_a_large_reducer_is_skew_and_tells_how_long_the_job_waited(tmp_path: Path) -> None:
    job = TroubledJob(large_tasks={("reduce", 7): 9})
    triage = triaged(tmp_path, job)
    finding = triage.branch("data skew").findings[0]

    assert fired(triage) == [("data skew", "sure")]
    assert finding.attempts == (job.attempt("reduce", 7),)
    rows = Store.at(tmp_path / "store").read("attempts").set_index("attempt")
    others = rows.drop(index=job.attempt("reduce", 7))
    waited = next(one for one in finding.figures if one.name.startswith("time that the phase"))
    assert waited.value == pytest.approx(
        rows.at[job.attempt("reduce", 7), "finished_s"] - others["finished_s"].max()
    )


def test_uneven_data_that_costs_no_time_is_a_remark(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(large_tasks={("reduce", 7): 9}, data_only=True))

    assert fired(triage) == []
    assert "took no longer for it" in triage.branch("data skew").left_out[0]


def test_a_sick_node_and_skew_are_both_told_the_surer_first(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(large_tasks={("reduce", 7): 9}, slower={3: 4}))

    assert fired(triage) == [("data skew", "sure"), ("node", "possible")]
    assert triage.branch("node").findings[0].hosts == ("node-03",)


def test_a_node_that_was_given_the_large_tasks_is_not_named_for_them(tmp_path: Path) -> None:
    job = TroubledJob(nodes=6, maps=0, reduces=120, seed=1)
    plain = Store(tmp_path / "plain")
    job.into(plain)
    rows = plain.read("attempts").drop(columns="source").to_dict("records")
    mine = [row for row in rows if row["host"] == job.host(2)]
    ended_s = None
    for row in mine[:8]:  # eight tasks with six times the data, one after the other
        counters = json.loads(row["counters"])
        larger = {group: {name: 6 * value for name, value in values.items()}
                  for group, values in counters.items()}  # fmt: skip
        seconds = row["finished_s"] - row["started_s"]
        start_s = row["started_s"] if ended_s is None else ended_s
        ended_s = start_s + 6 * seconds
        row |= {
            "counters": json.dumps(larger), "started_s": start_s, "finished_s": ended_s,
            "shuffled_s": start_s + 2 * seconds, "sorted_s": start_s + 3 * seconds,
        }  # fmt: skip
    store = Store(tmp_path / "store")
    kept = [row for row in rows if row["host"] != job.host(2)] + mine[:8]
    add_rows(store, "job", {"attempts": kept, "jobs": [{"job": job.id, "state": "succeeded"}]})

    triage = triage_job(facts_of(store, job.id, diagnose_command=""))

    assert fired(triage) == [("data skew", "sure")]
    assert triage.branch("node").left_out[0].startswith(f"{job.host(2)} differs from other nodes")
    assert "another explanation" in triage.branch("node").left_out[0]


def test_what_ended_the_job_comes_before_what_slowed_it_down(tmp_path: Path) -> None:
    job = TroubledJob(failing_tasks={("reduce", 30): OUT_OF_MEMORY}, slower={3: 4})
    triage = triaged(tmp_path, job)

    assert [name for name, _ in fired(triage)] == ["memory", "node"]


@pytest.mark.parametrize(
    ("job", "finding"),
    [
        (TroubledJob(reduces=2, reduce_s=600), "few_reducers"),
        (TroubledJob(spills=3), "spills"),
        (TroubledJob(collecting=0.4), "collecting.map"),
        (TroubledJob(duplicates=60), "duplicates"),
        (TroubledJob(maps=400, map_s=2), "short_maps"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_setting_that_costs_time_is_told(tmp_path: Path, job: TroubledJob, finding: str) -> None:
    triage = triaged(tmp_path, job)
    settings = triage.branch("settings")

    assert [name for name, _ in fired(triage)] == ["settings"]
    assert finding in ids(settings)
    assert settings.step is not None


def test_duplicates_of_reducers_are_for_the_setting_of_reducers(tmp_path: Path) -> None:
    job = TroubledJob(duplicates=60)
    facts = facts_of(job.into(Store(tmp_path / "store")), job.id, diagnose_command="")
    assert "mapreduce.map.speculative=false" in str(settings_branch(facts).step)
    other = {"map": "reduce", "reduce": "map"}
    turned = facts.attempts.assign(kind=facts.attempts["kind"].map(other))

    step = settings_branch(replace(facts, attempts=turned)).step

    assert "mapreduce.reduce.speculative=false" in str(step)


def test_attempts_that_a_lost_node_took_along_are_no_duplicates(tmp_path: Path) -> None:
    job = TroubledJob(duplicates=60)
    facts = facts_of(job.into(Store(tmp_path / "store")), job.id, diagnose_command="")
    killed = facts.attempts["state"] == "killed"
    lost = failure_of("Container released on a *lost* node")

    with_them = replace(facts, failures=dict.fromkeys(facts.attempts.loc[killed, "attempt"], lost))

    assert "duplicates" in ids(settings_branch(facts))
    assert "duplicates" not in ids(settings_branch(with_them))


def test_the_advised_sort_buffer_holds_the_output_of_the_median_map(tmp_path: Path) -> None:
    step = triaged(tmp_path, TroubledJob(spills=3)).branch("settings").step

    assert step is not None
    advised = int(str(step.command).rpartition("=")[2])
    # 128 MB of output, and 16 bytes for each of a million records, to be four fifths of it.
    assert advised == pytest.approx((128 + 16e6 / 2**20) / 0.8, rel=0.05)


def test_a_running_job_is_told_so_far(tmp_path: Path) -> None:
    triage = triaged(tmp_path, TroubledJob(slower={3: 5}, until_s=500))

    assert triage.job.is_running
    assert [name for name, _ in fired(triage)] == ["node"]
    assert "so far" in str(triage.branch("memory").why)


def test_of_one_node_nothing_is_said_and_why(tmp_path: Path) -> None:
    node = triaged(tmp_path, TroubledJob(nodes=1)).branch("node")

    assert node.verdict == "cannot tell"
    assert "no peers" in str(node.why)


def test_a_job_without_counters_is_not_called_even(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    TroubledJob().into(store)
    rows = store.read("attempts").assign(counters=None, read_bytes=None)
    bare = Store(tmp_path / "bare")
    add_rows(bare, "bare", {"attempts": rows.drop(columns="source").to_dict("records")})

    triage = triage_job(facts_of(bare, "job_1700000000_0001", diagnose_command=""))

    assert triage.branch("data skew").verdict == "cannot tell"
    assert "no counters" in str(triage.branch("data skew").why)
    assert any("spills" in each for each in triage.branch("settings").left_out)


def test_a_node_that_was_sick_at_another_time_is_not_held_against_the_job(tmp_path: Path) -> None:
    later = TroubledJob(id="job_1700000000_0002", at_s=3000, slower={3: 4}, seed=1)
    triage = triaged(tmp_path, TroubledJob(), later)

    assert triage.branch("node").verdict == "silent"


def test_of_a_slow_rack_it_cannot_be_told_whether_its_nodes_are_sick(tmp_path: Path) -> None:
    job = TroubledJob(nodes=15, maps=450, slower={0: 4, 1: 4, 2: 4})
    store = job.into(Store(tmp_path / "store"))
    rows = [{"host": job.host(node), "rack": f"/r{node // 3}"} for node in range(15)]
    add_rows(store, "racks", {"nodes": rows})
    node = triage_job(facts_of(store, job.id, diagnose_command="")).branch("node")

    assert node.verdict == "cannot tell"
    assert "nearly all nodes of rack /r0 differ" in str(node.why)


def test_metrics_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path) -> None:
    job = TroubledJob()
    store = job.into(Store(tmp_path / "store"))
    rows = [{"host": job.host(node), "at_s": BEGIN_S, "user": 1.0} for node in range(job.nodes)]
    add_rows(store, "metrics", {"metrics": rows})
    (file,) = (store.folder / "metrics").iterdir()
    file.write_bytes(b"PAR1 and no more")

    with pytest.raises(EvidenceError, match="is damaged"):
        triage_job(facts_of(store, job.id, diagnose_command=""))


def test_a_node_that_did_this_job_no_harm_is_a_remark(tmp_path: Path) -> None:
    # This job has an attempt a node; another has enough to compare, and shows the node.
    own = TroubledJob(maps=12, reduces=0, at_s=200, map_s=150)
    other = TroubledJob(id="job_1700000000_0002", slower={3: 4}, seed=1)
    node = triaged(tmp_path, own, other).branch("node")

    assert node.verdict == "silent"
    assert node.left_out[0].startswith("node-03 differs from its peers")
    assert "took no longer" in node.left_out[0]


def test_an_unknown_job_is_said_with_one_that_is_known(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with pytest.raises(EvidenceError, match="has no job job_9; it has no jobs"):
        facts_of(store, "job_9", diagnose_command="")
    TroubledJob().into(store)
    with pytest.raises(EvidenceError, match="it has 1, such as job_1700000000_0001"):
        facts_of(store, "job_9", diagnose_command="")


def test_a_failed_job_of_which_no_attempt_failed_is_not_called_well(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    row = {"job": "job_1", "state": "failed", "submitted_s": BEGIN_S, "finished_s": BEGIN_S + 9}
    add_rows(store, "bare", {"jobs": [row]})

    triage = triage_job(facts_of(store, "job_1", diagnose_command=""))

    assert {one.verdict for one in triage.branches} == {"cannot tell"}


def test_damaged_counters_and_clocks_that_jump_are_met(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    TroubledJob().into(store)
    rows = store.read("attempts").drop(columns="source").to_dict("records")
    rows[0] |= {"counters": "{not JSON"}
    rows[1] |= {"counters": '{"group": 3, "other": {"GC_TIME_MILLIS": "many"}}'}
    rows[2] |= {"finished_s": rows[2]["started_s"] - 5000}
    rows[3] |= {"host": None}
    odd = Store(tmp_path / "odd")
    add_rows(odd, "odd", {"attempts": rows})

    triage = triage_job(facts_of(odd, "job_1700000000_0001", diagnose_command=""))

    assert triage.fired == ()
