"""Files, folders and archives of any kind -> a diagnosis for each death that they tell of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import Final

from mprof.advice import advise
from mprof.dataflow import failed_by_evidence
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.engines import UserClasses
from mprof.errors import EvidenceError
from mprof.evidence.assemble import traces_of
from mprof.findings import Dead, Findings, Told, Unused, alike_in, was_preempted
from mprof.history import JobHistory
from mprof.intake import STANDARD_INPUT, TakenIn, take_in
from mprof.job_run import JobRun
from mprof.messages import is_lost, went_with_its_node
from mprof.objects import HeapObjects
from mprof.runs.load import user_classes
from mprof.runs.observer import Observer
from mprof.runs.snapshots import read_lone_dump, read_snapshots
from mprof.trace import (
    MEMORY_KINDS,
    OF_OTHERS,
    Death,
    LoggedError,
    Timeout,
    Trace,
    out_of_memory_in,
    parse_timeout,
)
from mprof.units import format_bytes

__all__ = ["diagnose_history", "found_in"]

_COUNTED_BY_HIVE: Final = re.compile(r"Processing rows:.*Memory usage:\s*\d+")
_FRAMES_ALIKE: Final = 4
# YarnChild before an error; Spark before why YARN killed: TaskSetManager, YarnScheduler
_BEFORE_THE_WORDS: Final = re.compile(
    r"^(?:Error: |(?:Lost executor|ExecutorLostFailure)\b.*?(?=Container killed))"
)
_LISTED: Final = 20
_NAME_OTHERS: Final = (
    "name the logs of the job (yarn logs -applicationId ID > FILE), its history file, what the "
    "command that submitted it printed, or a heap dump"
)


def found_in(
    places: Sequence[str],
    asked: Sequence[Told],
    capture: Callable[[Path], Diagnosed],
    observer: Observer,
) -> Findings:
    """Read what is at the places named, and diagnose each death.

    Args:
        places: files, folders and archives that exist, and ``-`` for standard input.
        asked: what was diagnosed already.
        capture: diagnoses a folder that mprof wrote.
        observer: receives progress.

    Raises:
        EvidenceError: if nothing at all can be used.
    """
    taken = take_in(places, lambda name: observer.progress(f"reading {name}", None))
    unused = list(taken.unused)
    told = [*asked, *(Told(capture(path)) for path in taken.captures)]
    observer.stage("evaluating the rules")
    for job in taken.jobs:
        told += _of_job(job, observer)
    for path in taken.dumps:
        observer.stage(f"reading {path.name}")
        try:
            told.append(_of_dump(path, alone=len(places) == 1 and not told))
        except EvidenceError as error:
            unused.append(Unused(str(path), error.what))
    if not told and not taken.found:
        raise _nothing_in(places, unused)
    told = _most_telling_first(told, _passed(taken.jobs))
    dead = any(each.dead or each.diagnosed.evidence.death.kind != "none" for each in told)
    well = [each for each in told if each.diagnosed.evidence.death.kind == "none"]
    told, notes = told[: _LISTED if not dead else len(told) - len(well)], [*taken.notes]
    if len(well) > (0 if dead else _LISTED):
        notes += _ended_well(well if dead else well[_LISTED:])
    answers = () if dead else taken.remarks
    if answers:  # which say more than that nothing is known
        told = [each for each in told if each.diagnosed.end != "end unknown"]
    notes += _survived(taken)
    return Findings(tuple(told), taken.found, tuple(unused), tuple(notes), answers)


def diagnose_history(history: JobHistory, observer: Observer) -> Diagnosed | None:
    """Diagnose the most telling death that a job history tells of; None where it tells of none."""
    job = JobRun(
        history.job_id,
        "none",
        history=history,
        state=history.state,
        diagnostics=history.diagnostics,
    )
    told = _most_telling_first([*_of_job(job, observer)], _passed([job]))
    return told[0].diagnosed if told else None


def _ended_well(told: Sequence[Told]) -> Iterator[str]:
    """The jobs that did not fail, in a sentence; of others nothing is known."""
    jobs = [
        each.diagnosed.evidence.job.job_id or "a job without an id"
        for each in told
        if each.diagnosed.evidence.job.state == "SUCCEEDED"
    ]
    if jobs:
        more = f" and {len(jobs) - _LISTED:,} more" if len(jobs) > _LISTED else ""
        yield f"{', '.join(jobs[:_LISTED])}{more} did not fail"


def _nothing_in(places: Sequence[str], unused: Sequence[Unused]) -> EvidenceError:
    what = "standard input" if list(places) == [STANDARD_INPUT] else ", ".join(places)
    if len(unused) == 1:
        why, _, step = unused[0].why.partition(". Next step: ")
        name = what if unused[0].name in places else unused[0].name
        return EvidenceError(f"{name} cannot be used: {why}", next_step=step or _NAME_OTHERS)
    if unused:
        listed = "; ".join(f"{one.name}: {one.why}" for one in unused[:_LISTED])
        more = f"; and {len(unused) - _LISTED:,} more" if len(unused) > _LISTED else ""
        return EvidenceError(
            f"nothing in {what} can be used ({listed}{more})", next_step=_NAME_OTHERS
        )
    return EvidenceError(f"there is no file in {what}", next_step=_NAME_OTHERS)


def _of_job(job: JobRun, observer: Observer) -> Iterator[Told]:
    classes = user_classes(job.conf)
    snapshots: dict[str, tuple[HeapObjects, ...]] = {}
    losses = list(job.losses)
    for trace in job.traces:
        if trace.events or trace.dump_files:
            found, lost = _snapshots(trace, classes, observer)
            losses += lost
            if found:
                snapshots[trace.attempt_id or ""] = found
    run = replace(job, snapshots=snapshots, losses=tuple(losses))
    dumps = {name: len(many) for name, many in snapshots.items()}
    every = traces_of(run)
    ended = [*failed_by_evidence(every, dumps=dumps)]
    failed = [one for one in ended if one.state != "KILLED" or one.death.kind in MEMORY_KINDS]
    # which nobody else tells as killed, or which did no more harm
    if job.state == "SUCCEEDED" or all(_was_preempted(one) for one in failed):
        failed = [one for one in ended if one in failed or _was_preempted(one)]
    failed = _deciding_first(failed, job.diagnostics)
    groups: dict[tuple[object, ...], list[Trace]] = {}
    for trace in _once_each(failed):
        groups.setdefault(_likeness(trace), []).append(trace)
    for same, named in _with_their_stack(_with_the_one_seen(groups)):
        alike = sorted(same, key=lambda trace: not _lists_processes(trace))
        of = run
        if alike[0] not in named:
            of = replace(run, losses=(*run.losses, _STACK_OF_ONE))
        yield Told(_diagnosed(of, alike[0]), tuple(_dead(job, trace) for trace in named))
    if not failed and (every or job.state is not None or job.history is not None):
        diagnosed = advise(diagnose_runs([run]))
        death = diagnosed.evidence.death
        yield Told(diagnosed, _of_job_itself(job, death) if death.kind != "none" else ())


def _was_preempted(trace: Trace) -> bool:
    """Whether its container was taken back: it did not fail, and people ask why."""
    return was_preempted(trace.death.evidence)


def _lists_processes(trace: Trace) -> bool:
    """Whether the processes of a killed container are listed, of which those alike say nothing."""
    end = trace.death.container
    return end is not None and bool(end.processes)


_DECIDES: Final = re.compile(r"\bTask failed task_(\d+_\d+_[mr]_\d+)")  # JobImpl


def _deciding_first(failed: Sequence[Trace], diagnostics: str) -> list[Trace]:
    """Of deaths that tell as much, those of the task that ended the job first, the last of it."""
    tasks = tuple(f"attempt_{one}_" for one in _DECIDES.findall(diagnostics))

    def rank(trace: Trace) -> tuple[object, ...]:
        decides = bool(tasks) and (trace.attempt_id or "").startswith(tasks)
        return (
            trace.death.kind not in MEMORY_KINDS,
            not (trace.events or trace.dump_files),
            not trace.death.stack,
            not decides,
            -(trace.number or 0) if decides else 0,
        )

    return sorted(failed, key=rank) if tasks else [*failed]


def _once_each(traces: Sequence[Trace]) -> Iterator[Trace]:
    """Without a death of which two texts tell that name nobody, by the same counts to the byte.

    As a session of Hive and the log of its local task do.
    """
    told: set[str] = set()
    for trace in traces:
        counts = _COUNTED_BY_HIVE.search(trace.death.evidence)
        if counts is not None and trace.attempt_id is None and trace.container_id is None:
            if counts[0] in told:
                continue
            told.add(counts[0])
        yield trace


def _with_their_stack(
    groups: dict[tuple[object, ...], list[Trace]],
) -> Iterator[tuple[list[Trace], list[Trace]]]:
    """The deaths that are alike, and those that are listed as such.

    Where a stack is pasted behind what a command printed, nothing says whose it is. The command
    prints the same message without a stack for each of those that died so.
    """
    left = dict(groups)
    for key, alike in groups.items():
        stack = alike[0].death.stack
        if not stack or alike[0].attempt_id is not None or alike[0].container_id is not None:
            continue
        said = [
            one
            for one, traces in left.items()
            if one[:2] == key[:2] and not traces[0].death.stack and traces[0].attempt_id is not None
        ]
        if said:
            del left[key]
            yield alike, [trace for one in said for trace in left.pop(one)]
    for alike in left.values():
        yield alike, alike


def _with_the_one_seen(
    groups: dict[tuple[object, ...], list[Trace]],
) -> dict[tuple[object, ...], list[Trace]]:
    """The deaths that are alike, where one of those that timed out was looked at with jstat.

    Of the others nothing is known but the same timeout.
    """
    seen = [key for key, alike in groups.items() if _is_seen(alike[0])]
    if len(seen) != 1:
        return groups
    first = parse_timeout(groups[seen[0]][0].death.message)
    unseen = {
        key: alike
        for key, alike in groups.items()
        if key[1] in (seen[0][1], None) and all(_is_unseen(one, first) for one in alike)
    }
    left = {key: alike for key, alike in groups.items() if key not in unseen}
    left[seen[0]] = [*left[seen[0]], *(one for alike in unseen.values() for one in alike)]
    return left


def _is_seen(trace: Trace) -> bool:
    crawl = trace.death.crawl
    return crawl is not None and crawl.source == "jstat"


def _is_unseen(trace: Trace, first: Timeout | None) -> bool:
    death = trace.death
    timeout = parse_timeout(death.message)
    is_same = timeout is not None and first is not None and timeout.seconds == first.seconds
    return is_same and not death.stack and OF_OTHERS in death.evidence


_STACK_OF_ONE: Final = (
    "the stack is given without the id of its attempt: it is taken for that of one of those that "
    "died with the same message"
)


def _diagnosed(run: JobRun, trace: Trace) -> Diagnosed:
    if trace.attempt_id is None:  # by itself: nothing tells it from others that have no id either
        run = replace(run, traces=(trace,), history=None, state=None)
        return advise(diagnose_runs([run]))
    return advise(diagnose_runs([run], trace.attempt_id))


def _snapshots(
    trace: Trace, classes: UserClasses, observer: Observer
) -> tuple[tuple[HeapObjects, ...], tuple[str, ...]]:
    # The folder is the user's: nothing is written into it, and no dump is deleted.
    return read_snapshots(
        trace,
        trace.folder,
        classes,
        lambda name: observer.progress(f"reading {name}", None),
        keep=True,
    )


def _likeness(trace: Trace) -> tuple[object, ...]:
    """What two deaths have in common that are the same: kind, words, and where.

    The message of an error that is none of memory says by itself what it was.
    """
    death = trace.death
    by_words = death.kind not in MEMORY_KINDS and death.message
    own = () if by_words else death.stack[:_FRAMES_ALIKE]
    frames = tuple((one.class_name, one.method, one.line) for one in own)
    said = _BEFORE_THE_WORDS.sub("", death.evidence).split(" (")[0]
    limit = death.container.physical_limit_bytes if death.container is not None else None
    return (death.kind, trace.task_type, limit, alike_in(said), frames)


def _dead(job: JobRun, trace: Trace) -> Dead:
    recorded = job.history.attempts().get(trace.attempt_id or "") if job.history else None
    return Dead(
        container_id=trace.container_id or (recorded.container_id if recorded else None),
        attempt_id=trace.attempt_id,
        job_id=job.job_id,
        host=trace.host or (recorded.host if recorded else None),
        kind=trace.death.kind,
        line=trace.death.evidence.strip().split("\n")[0],
    )


def _of_job_itself(job: JobRun, death: Death) -> tuple[Dead, ...]:
    """What died where the end of the job is what is told: its application master, as a rule."""
    named = re.search(r"\bcontainer_\w+", job.diagnostics)
    line = death.evidence.strip().split("\n")[0]
    return (Dead(named[0] if named else None, None, job.job_id, None, death.kind, line),)


def _of_dump(path: Path, *, alone: bool) -> Told:
    snapshot = read_lone_dump(path)
    losses = snapshot.losses if alone else (f"of the heap dump {path}", *snapshot.losses)
    if snapshot.unreachable_bytes > snapshot.live_bytes:
        losses = (_unreachable(path, snapshot), *losses)
    run = JobRun(job_id=None, mode="none", snapshots={"": (snapshot,)}, losses=losses)
    return Told(advise(diagnose_runs([run])))


def _unreachable(path: Path, snapshot: HeapObjects) -> str:
    """That most of a dump is reached by no root, and of which classes that is."""
    from mprof.heap.histogram import quick_histogram  # here: it reads the dump again

    reached = {one.class_name: one.bytes for one in snapshot.classes}
    rest = [
        (row.shallow_bytes - reached.get(row.name, 0), row.name)
        for row in quick_histogram(path).classes
    ]
    largest = ", ".join(
        f"{name} {format_bytes(size)}"
        for size, name in sorted(rest, reverse=True)[:_CLASSES]
        if size > 0
    )
    total = snapshot.unreachable_bytes + snapshot.live_bytes
    return (
        f"{format_bytes(snapshot.unreachable_bytes)} of the {format_bytes(total)} in the dump are "
        f"reached by no root, and in no other number here: {largest}. They are garbage, which a "
        "dump without live keeps, or the dump lacks roots"
    )


_CLASSES: Final = 3


def _passed(jobs: Iterable[JobRun]) -> frozenset[str]:
    """The tasks of which an attempt is told to have succeeded."""
    done = (one.attempt_id for job in jobs for one in traces_of(job) if one.state == "SUCCEEDED")
    return frozenset(_task_of(one) for one in done if one is not None)


def _task_of(attempt: str) -> str:
    """Its id without the number of the attempt."""
    return attempt.rpartition("_")[0]


def _most_telling_first(told: Sequence[Told], passed: frozenset[str]) -> list[Told]:
    """Beside a job that is said to have failed, one of which nothing is said may be another run."""
    jobs = [each.diagnosed.evidence.job for each in told]
    has_failed = any(job.state == "FAILED" for job in jobs)
    is_open = [has_failed and job.job_id is not None and job.state is None for job in jobs]
    ranked = sorted(range(len(told)), key=lambda at: (is_open[at], _rank(told[at], passed)))
    return [told[at] for at in ranked]


def _rank(told: Told, passed: frozenset[str]) -> tuple[object, ...]:
    """What failed for good first; of that a death of memory, then one with a heap or a stack.

    A task of which another attempt passed did not fail for good. Of a job that succeeded, what
    befell most attempts comes first.

    A stack with known code comes before others.

    Of an executor that was lost nothing is known: what a job was given up for comes before it.
    """
    evidence = told.diagnosed.evidence
    return (
        evidence.death.kind == "none",
        is_well := evidence.job.state == "SUCCEEDED",
        bool(told.dead) and all(_task_of(one.attempt_id or "") in passed for one in told.dead),
        evidence.death.kind not in MEMORY_KINDS,
        -len(told.dead) if is_well else 0,
        is_lost(evidence) or went_with_its_node(evidence),
        not told.diagnosed.diagnosis.causes,
        not any(one.message.is_leak for one in told.diagnosed.diagnosis.said),
        _is_open_master(told),
    )


def _is_open_master(told: Told) -> bool:
    """Whether it is an application master of which nothing says what it died of."""
    said = told.diagnosed.diagnosis.said
    is_proven = any(one.reading.proof == "proves" for one in said)
    return told.diagnosed.evidence.death.kind == "application-master" and not is_proven


def _survived(taken: TakenIn) -> Iterator[str]:
    """OutOfMemoryErrors that were caught, and that their task outlived."""
    for job in taken.jobs:
        for trace in job.traces:
            for logged in trace.logs.survived:
                one = "the task" if trace.task_type is not None else "the process"
                name = trace.attempt_id or trace.container_id or one
                is_open = trace.death.kind == "none" and trace.state is None
                of_array = "exceeds VM limit" in logged.error.first_line
                left = "" if of_array else " little memory was left then;"
                how = f":{left} mprof cannot tell how it ended" if is_open else ""
                well = ", and came to its end well" if trace.state == "SUCCEEDED" else ""
                yield (
                    f"{name} met an OutOfMemoryError that was caught, and went on{how}{well} "
                    f"({logged.error.first_line}; {logged.file}, line {logged.line})"
                    f"{_caught_where(logged)}"
                )


_OF_HADOOP: Final = ("org.apache.hadoop.mapred.", "org.apache.hadoop.mapreduce.")


def _caught_where(logged: LoggedError) -> str:
    """With which words it was logged, and which code of the task had called what ran out."""
    memory = out_of_memory_in(logged.error)
    frames = memory.stack if memory is not None else ()
    at = next(
        (at for at, one in enumerate(frames) if one.class_name.startswith(_OF_HADOOP)), len(frames)
    )
    outer = frames[at - 1] if 0 < at < len(frames) else None
    own = next(  # behind a bridge method of the same name
        (
            one
            for one in frames[:at]
            if outer is not None
            and (one.class_name, one.method) == (outer.class_name, outer.method)
        ),
        None,
    )
    said = logged.how.strip()
    words = f', logged as "{shorten(said, _LONGEST_WORDS, placeholder=" ...")}"' if said else ""
    if own is None or logged.logger is None or logged.logger.startswith("org.apache.hadoop."):
        return words  # of the framework itself, which tries again
    place = f" ({own.file}:{own.line})" if own.file and own.line else ""
    return (
        f"{words}: the heap was full in {frames[0].class_name}.{frames[0].method}, below "
        f"{own.class_name}.{own.method}{place}. Whether anything is missing in the output depends "
        "on the code that caught it"
    )


_LONGEST_WORDS: Final = 200  # characters
