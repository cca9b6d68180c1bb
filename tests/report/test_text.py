"""The text report, from the first line to the last."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import growing_series, holder, map_attempt, reduce_attempt

from mprof.diagnosis import Advice, Cause, Diagnosed, Diagnosis
from mprof.evidence import (
    AttemptLine,
    Composition,
    Death,
    DeathPosition,
    Evidence,
    ExternalLoad,
    Job,
    StackFrame,
    Unknown,
)
from mprof.patterns import Steepest, Where, find_patterns
from mprof.report import render_html, render_text
from mprof.report.text import MOST_FRAMES
from mprof.rules import CannotTell, Fires, rule_of
from mprof.units import MIB


def diagnosed(evidence: Evidence, *losses: str, **concluded: object) -> Diagnosed:
    """Evidence with conclusions that no rule drew: the report says what it is given."""
    nothing = {"verdicts": {}, "causes": (), "unknown": (), "error_related_data": None}
    found = Diagnosis(**{**nothing, **concluded})  # type: ignore[arg-type]
    return Diagnosed(found, evidence, find_patterns(evidence), losses)


def accumulating() -> Diagnosed:
    counts = holder("this.counts", 170 * MIB, length=1_572_865)
    evidence = map_attempt(
        holders=(counts, holder("this.small", 1 * MIB)),
        stack=(
            StackFrame("java.util.HashMap", "put", "HashMap.java", 610),
            StackFrame("com.example.Job", "map", "Job.java", 42, True, 170 * MIB, 1.0),
            *(StackFrame("org.apache.hadoop.mapred.Child", "run") for _ in range(13)),
        ),
        series=(growing_series("this.counts", [0, 85 * MIB, 170 * MIB]),),
        attempts=(AttemptLine("attempt_1_0001_m_000001_0", "heap", "Java heap space"),),
    )
    where = Where("com.example.Job", "map", "Job.java", 42, "this.counts")
    causes = (
        Cause(
            rule_of("large_accumulated_results.map"),
            Fires("sure", "dump", "this.counts grows with every record", 170 * MIB, where),
        ),
        Cause(
            rule_of("large_input_split"),
            Fires("likely", "passive", "the split is too large", 170 * MIB, where),
        ),
    )
    advice = (
        Advice("large_accumulated_results.map", "code", "Emit each record's result."),
        Advice("large_input_split", "setting", "Splits of 16 MB instead of 64 MB.",
               "split.maxsize", "67108864", "16777216", 180 * MIB),
    )  # fmt: skip
    loss = "2 references lead to objects that are not in the dump"
    return diagnosed(evidence, loss, causes=causes, advice=advice)


def test_a_cause_is_told_from_the_summary_to_the_gaps() -> None:
    assert (
        render_text(accumulating())
        == """\
Attempt attempt_1_0001_m_000000_0 of job 'words' ran out of heap space at record 4,001 in map().
Cause (sure): results accumulated over all records of the map task, 170 MB, in Job.map
(Job.java:42), held by this.counts. Cause (likely): the input split is too large. Try:
-D split.maxsize=16777216

CAUSES
  1. results accumulated over all records of the map task  170 MB of heap
     large_accumulated_results.map (code, rule 1): sure, from heap dumps
     Job.map (Job.java:42), held by this.counts
     this.counts grows with every record
  2. the input split is too large  170 MB of heap
     large_input_split (configuration, rule 1): likely, from event logs and garbage collections
     Job.map (Job.java:42), held by this.counts
     the split is too large

STACK OF THE FAILING THREAD
  at java.util.HashMap.put(HashMap.java:610)
  at com.example.Job.map(Job.java:42)  => 170 MB, 100 %
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  at org.apache.hadoop.mapred.Child.run
  ... 1 more

WHAT FILLED THE HEAP
     170 MB   71 %  this.counts
                    HashMap, 1,572,865 entries, for the whole task, in Job.map, grows linearly
                    with the data, O(n)
      40 MB   17 %  the map-side sort buffer
      20 MB    8 %  Hadoop's own objects outside its buffers
      10 MB    4 %  the JVM and libraries

HOW IT GREW
  this.counts, by number of input records (from heap dumps)
                 0        0 B
             2,000      85 MB
             4,000     170 MB
             4,001     170 MB

WHAT TO CHANGE
    Emit each record's result.
  -D split.maxsize=16777216   (was 67108864)
    Splits of 16 MB instead of 64 MB.
    predicted peak: 180 MB

OTHER FAILED ATTEMPTS
  attempt_1_0001_m_000001_0: Java heap space

GAPS IN THE EVIDENCE
  2 references lead to objects that are not in the dump"""
    )


def test_without_enough_evidence_it_says_what_would_bring_more() -> None:
    unknown = [
        (rule_of("hotspot_key"), CannotTell("sizes of whole groups", "rerun")),
        (rule_of("large_single_record"), CannotTell("heap sizes at earlier records", "verify")),
        (rule_of("large_external_data"), CannotTell("sizes of whole groups", "rerun")),
        (rule_of("large_input_split"), CannotTell("the task's log", "none")),
    ]
    steepest = Steepest("groups", 5, 9, None, None, 37 * MIB, "memory grew most from group 5 to 9")
    evidence = reduce_attempt(composition=Composition(framework_bytes=100 * MIB))

    assert (
        render_text(diagnosed(evidence, unknown=tuple(unknown), error_related_data=steepest))
        == """\
Attempt attempt_1_0001_r_000000_0 of job 'words' ran out of heap space at record 50,001 of group
31 in reduce(). There is not enough evidence to name a cause. More would come from mprof rerun
or running the record alone (mprof rerun). The heap held: Hadoop's own objects outside its
buffers (among them what user code opens and never closes, such as file systems), 100 MB, 42 %.

WHAT FILLED THE HEAP
     100 MB   42 %  Hadoop's own objects outside its buffers
                    among them what user code opens and never closes, such as file systems
     140 MB   58 %  free, in pieces or kept back by the collector

ERROR-RELATED DATA (NOT A CAUSE)
  memory grew most from group 5 to 9

UNDECIDED RULES
  hotspot_key, large_external_data: cannot tell without sizes of whole groups; mprof rerun would
  tell
  large_single_record: cannot tell without heap sizes at earlier records; running the record
  alone (mprof rerun) would tell
  large_input_split: cannot tell without the task's log; no run would tell"""
    )


def test_a_name_is_never_broken_at_a_hyphen_or_at_the_edge_of_the_screen() -> None:
    path = "hdfs://a-cluster/" + "/".join(["a-folder"] * 14) + "/part-m-00000"
    text = render_text(diagnosed(map_attempt(), f"the file that is called {path} is torn"))

    assert f"\n  {path}\n" in text


def test_that_the_command_itself_ran_out_of_memory_is_said_beside_a_job_that_succeeded() -> None:
    finished = map_attempt(
        job=Job("job_1_0001", "words", state="SUCCEEDED", driver_error="Java heap space"),
        death=Death("none", ""),
    )

    report = render_text(diagnosed(finished))

    assert "Job 'words' did not fail, so there is no cause to name. The command that" in report
    assert "ran out of memory itself (Java heap space)" in " ".join(report.split())


def test_a_command_that_fails_though_its_job_succeeded_is_told_beside_it() -> None:
    job = Job("job_1_0001", "words", state="SUCCEEDED", driver_exit_code=3)
    died = map_attempt(job=replace(job, state="FAILED"))

    report = words_of(map_attempt(job=job, death=Death("none", "")))

    assert "The command that submitted it ended with exit code 3 all the same" in report
    assert "exit code 3" not in words_of(died)


def test_jobs_that_ran_inside_the_command_are_told_beside_the_job_of_the_cluster() -> None:
    job = Job("job_1_0001", "words", state="FAILED", local_jobs=("job_local7_0001",))

    report = words_of(map_attempt(job=job))

    assert "job_local7_0001 ran inside the command that submitted it, where mprof does" in report


def words_of(evidence: Evidence) -> str:
    """The report in one line."""
    return " ".join(render_text(diagnosed(evidence)).split())


def test_the_frame_of_the_jobs_code_is_shown_however_deep_it_stands() -> None:
    """A recursion of the JDK fills the top of a stack of which only the log tells."""
    deep = (
        *(StackFrame("java.util.regex.Pattern$Loop", "match") for _ in range(90)),
        StackFrame("com.example.Parse$Mapper", "map", "Parse.java", 41),
        *(StackFrame("org.apache.hadoop.mapred.MapTask", "run") for _ in range(3)),
    )
    report = diagnosed(map_attempt(stack=deep))

    shown = [line.strip() for line in render_text(report).splitlines()]
    at = shown.index("at com.example.Parse$Mapper.map(Parse.java:41)")
    assert shown[at - 1] == f"... {90 - MOST_FRAMES} more"
    assert shown[at + 1] == "... 3 more"
    page = render_html(report)
    assert f"... {90 - 40} more\nat com.example.Parse$Mapper.map(Parse.java:41)\n... 3 more" in page


@pytest.mark.parametrize("is_reduce", [False, True])
def test_a_heap_that_is_full_before_the_data_is_told_with_what_holds_it(is_reduce: bool) -> None:
    matrix = replace(
        holder("this.matrix", 200 * MIB, owner="external", class_name="double[]", method="setup"),
        loaded_before_first_record=True,
    )
    made = reduce_attempt if is_reduce else map_attempt
    evidence = made(
        place="setup", position=DeathPosition("setup", record=0), holders=(matrix,),
        composition=Composition(external_bytes=200 * MIB, other_bytes=10 * MIB),
        external=ExternalLoad(200 * MIB, (matrix.key,), "loading"),
    )  # fmt: skip

    told = words_of(evidence)

    assert "ran out of heap space in user set-up code before the first record." in told
    assert "The heap held: this.matrix (double[], since before the first record, in Job" in told
    had = "handed to reduce()" if is_reduce else "read"
    assert f"No record had been {had}: hold less of it before the first one comes" in told
    assert "loaded" not in told


def test_without_a_dump_of_a_full_heap_before_the_data_no_more_is_said_than_that() -> None:
    missing = Unknown("a heap dump made at death", "run")
    evidence = map_attempt(place="setup", holders=missing, composition=missing, external=missing)

    told = words_of(evidence)

    assert "No record had been read." in told
    assert "hold less" not in told
    assert "No record" not in words_of(map_attempt(place="map"))
