"""The object that ``mprof diagnose --json`` prints of one death."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import UNSET, UnsetType

from mprof.diagnosis import Advice, Conclusion, Diagnosed, End
from mprof.diagnosis import Said as SaidFacts
from mprof.engines import Program
from mprof.evidence import Attempt as AttemptFacts
from mprof.evidence import DeathPosition, Evidence, Kind, Place, Probes, known
from mprof.findings import Found, Unused
from mprof.messages import Proof, SaidSetting
from mprof.messages.ending import Ending, ending_of
from mprof.messages.said import is_of_a_jobtracker, may_be_any_process
from mprof.patterns import Steepest
from mprof.report.published.advised import Advised
from mprof.report.published.base import Published
from mprof.report.published.cause import Cause, Undecided, Verdict
from mprof.report.published.container import Child, Container
from mprof.report.published.data import Groups, Partitions
from mprof.report.published.heap import Account, Curve, StackFrame, curves_of
from mprof.report.published.nearness import Nearness
from mprof.report.published.script import Script
from mprof.rules import rule_of
from mprof.version import __version__

__all__ = [
    "SCHEMA_VERSION",
    "Attempt",
    "Death",
    "Ending",
    "FailedAttempt",
    "Job",
    "Memory",
    "Message",
    "Report",
]

SCHEMA_VERSION: Final = 1


class Job(Published, frozen=True, kw_only=True):
    """The job of the attempt.

    Attributes:
        driver_error: message of the OutOfMemoryError that the command which submitted it died of.
        driver_exit_code: exit code of that command, negative for the signal that ended it; null
            where it is not known.
        local_jobs: jobs that ran inside that command, which mprof does not watch.
        no_task_failed: whether no task failed for good by the counters that its client printed when
            it had ended, and nothing else says how: it succeeded unless it was killed.
        of_jobtracker: whether a JobTracker of Hadoop 1 ran it; mprof run knows none.
        driver_ignores_options: whether Hadoop warned that the driver does not parse options such as
            -D.
        application: id of its application, where that is of another engine than MapReduce, or
            nothing shows its engine.
    """

    id: str | None
    name: str | None
    user: str | None
    state: str | None
    hadoop_version: str | None
    driver_error: str | None
    driver_exit_code: int | None
    local_jobs: tuple[str, ...]
    no_task_failed: bool = False
    of_jobtracker: bool = False
    driver_ignores_options: bool = False
    application: str | None = None

    @classmethod
    def of(cls, evidence: Evidence) -> Job | None:
        """None where nothing tells of a job or of a command."""
        job, death, attempt = evidence.job, evidence.death, evidence.attempt
        if not (job.job_id or job.name or job.driver_error or job.local_jobs):
            return None
        of_jobtracker = is_of_a_jobtracker(job.job_id)
        program = death.program
        nothing_shows_its_engine = death.kind == "application-master" or (
            death.kind in ("container-physical", "container-virtual")
            and not (job.name or job.state or attempt.attempt_id or attempt.task_type)
            and not (death.in_task or death.stack or death.of_mapreduce)
        )
        is_other = program.is_of_another_engine if program is not None else nothing_shows_its_engine
        other = job.job_id if is_other else None
        application = other.replace("job_", "application_") if other is not None else None
        return cls.taken(
            job,
            id=job.job_id,
            of_jobtracker=of_jobtracker,
            driver_ignores_options=evidence.stated.driver_ignores_options,
            application=application,
        )


class Attempt(Published, frozen=True, kw_only=True):
    """The attempt that is diagnosed.

    Attributes:
        mode: what the agent did in it; none where mprof did not run the job.
        container_id: of its container, as its logs or the job's history name it.
        place: the step of the task where the code stood.
    """

    id: str | None
    task_type: Literal["map", "reduce"] | None
    index: int | None
    number: int
    mode: Literal["none", "watch", "profile", "verify"]
    container_id: str | None
    host: str | None
    java_version: str | None
    place: Place | None

    @classmethod
    def of(cls, attempt: AttemptFacts, place: Place | None) -> Attempt | None:
        """None where nothing says which it is."""
        if attempt.attempt_id is attempt.task_type is attempt.container_id is None:
            return None
        return cls.taken(attempt, id=attempt.attempt_id, place=place)


class FailedAttempt(Published, frozen=True, kw_only=True):
    """Another failed attempt of the job, and the line that says how it failed."""

    id: str
    death: Kind
    line: str


class Death(Published, frozen=True, kw_only=True):
    """How the attempt ended.

    Attributes:
        evidence: the line that says so.
        program: what died, where it was no map or reduce task: an executor of Spark; null of tasks.
        end: whether it died, finished, or left nothing that says how it ended.
        from_dump: whether nothing but a heap dump says so.
        any_process: whether it may be of any process, as nothing says that it was a map or reduce
            task.
        ending: how it ended, where that is known more exactly than by its kind: ``own limit``, it
            stopped itself before its heap was full; ``permgen``, JDK 7's memory of classes was
            full; ``caught before``, an OutOfMemoryError had been caught before; ``open``, memory
            may be the reason or not; ``killed``, YARN or the application master ended it; ``lost``,
            a driver does not reach its executor any more, and nothing says how that ended.
        said: the sentence that speaks of such an end, where no line of a log does; else empty.
    """

    kind: Kind
    evidence: str
    program: str | None = None
    from_dump: bool = False
    any_process: bool = False
    ending: Ending | None = None
    said: str = ""
    end: End


class Memory(Published, frozen=True, kw_only=True):
    """The memory that the attempt had.

    Attributes:
        max_heap_bytes: -Xmx.
        live_bytes: live at death.
        container_bytes: physical memory that YARN grants the container.
    """

    max_heap_bytes: int | None
    live_bytes: int | None
    container_bytes: int | None


class Message(Published, frozen=True, kw_only=True):
    """What the death's own message, exit code or frames say.

    Attributes:
        id: of the page, as mprof explain takes it.
        title: in a few words.
        proof: how far it reaches: it proves why the task died, points there, or is only known of
            such code.
        sentence: what it says of this death.
        next_step: what would tell more.
        causes: that rules name for the same.
    """

    id: str
    title: str
    proof: Proof
    sentence: str
    next_step: str | None
    settings: tuple[SaidSetting, ...]
    causes: tuple[str, ...]

    @classmethod
    def of(cls, said: SaidFacts) -> Message:
        """The message with what it says of this death."""
        message, reading = said.message, said.reading
        return cls.taken(
            reading,
            id=message.id,
            title=message.title,
            next_step=reading.next_step or None,
            causes=(*message.causes, *reading.causes),
        )


class Report(Published, frozen=True, kw_only=True):
    """The diagnosis of one death, or of a job that did not fail.

    Members may be added; none is removed or changes its meaning within a schema version. Sizes are
    bytes.

    Attributes:
        job: null where only a heap dump or logs without a job are at hand.
        attempt: the failed attempt with most evidence, lowest index among equals.
        attempts: the other failed attempts, one line each.
        container: null without an attempt.
        child: null without one, and where nothing failed.
        script: null of any other job.
        position: where the attempt stood; null where that was not counted.
        account: null without a heap dump made at death.
        causes: by the bytes they explain, largest first; empty unless the heap is what ran out.
        messages: beside what was measured; what proves most first. Their pages:
            docs/reference/messages.
        stack: frames of the dying thread, top first.
        advice: what to change; cause is the id of a cause or of a message, container_memory or
            first_aid.
        unknown: rules that cannot tell.
        error_related_data: the steepest growth, where no rule fires; it is no cause.
        nearness: null where one failed or nothing says how full its heap was.
        probes: what the probes of the attempt cost; null where none was made.
        advised: null where there was no such run.
        verdicts: of every rule, in the order of the paper's numbers.
        losses: what could not be read.
        conclusion: that causes are named, or why none is.
        memory: what is not known is null.
        input_read: share of the input of the running user code that was taken in.
        curves: how the heap grew, the most telling ones first.
        partitions: what the reducers receive; null where nothing tells.
        groups: the group at death beside the others; null without any to compare.
        mprof_version: that made the diagnosis.
        found: what was read; absent where a capture was.
        unused: what could not be used.
        notes: what else the reader should know, one sentence each.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    job: Job | None
    attempt: Attempt | None
    attempts: tuple[FailedAttempt, ...]
    death: Death
    container: Container | None
    child: Child | None
    script: Script | None
    position: DeathPosition | None
    account: Account | None
    causes: tuple[Cause, ...]
    messages: tuple[Message, ...]
    stack: tuple[StackFrame, ...]
    advice: tuple[Advice, ...]
    unknown: tuple[Undecided, ...]
    error_related_data: Steepest | None
    nearness: Nearness | None
    probes: Probes | None
    advised: Advised | None
    verdicts: tuple[Verdict, ...]
    losses: tuple[str, ...]
    conclusion: Conclusion
    memory: Memory
    input_read: float | None
    curves: tuple[Curve, ...]
    partitions: Partitions | None
    groups: Groups | None
    mprof_version: str
    found: tuple[Found, ...] | UnsetType = UNSET
    unused: tuple[Unused, ...] | UnsetType = UNSET
    notes: tuple[str, ...] | UnsetType = UNSET

    @classmethod
    def of(cls, diagnosed: Diagnosed) -> Report:
        """All that is published of a diagnosis."""
        evidence, diagnosis = diagnosed.evidence, diagnosed.diagnosis
        progress = known(evidence.progress)
        return cls(
            job=Job.of(evidence),
            attempt=Attempt.of(evidence.attempt, known(evidence.place)),
            attempts=tuple(
                FailedAttempt.taken(one, id=one.attempt_id, death=one.kind)
                for one in evidence.attempts
            ),
            death=Death.taken(
                evidence.death,
                program=_program(evidence.death.program),
                any_process=may_be_any_process(evidence),
                said=evidence.death.said,
                ending=ending_of(evidence, [one.reading for one in diagnosis.said]),
                end=diagnosed.end,
            ),
            container=Container.of(diagnosed),
            child=Child.of(diagnosed),
            script=Script.of(diagnosed),
            position=known(evidence.position),
            account=Account.of(diagnosed),
            causes=tuple(Cause.of(one, evidence, diagnosed.code) for one in diagnosis.causes),
            messages=tuple(Message.of(one) for one in diagnosis.said),
            stack=tuple(StackFrame.of(one, diagnosed.code) for one in known(evidence.stack) or ()),
            advice=diagnosis.advice,
            unknown=tuple(
                Undecided.taken(verdict, rule=rule.cause) for rule, verdict in diagnosis.unknown
            ),
            error_related_data=diagnosis.error_related_data,
            nearness=Nearness.of(diagnosed),
            probes=evidence.probes,
            advised=Advised.of(diagnosed.advised),
            verdicts=tuple(
                Verdict.of(rule_of(cause), verdict) for cause, verdict in diagnosis.verdicts.items()
            ),
            losses=diagnosed.losses,
            conclusion=diagnosed.conclusion,
            memory=_memory(evidence),
            input_read=progress.done if progress is not None else None,
            curves=curves_of(evidence),
            partitions=Partitions.of(known(evidence.partitions)),
            groups=Groups.of(known(evidence.groups)),
            mprof_version=__version__,
        )


def _memory(evidence: Evidence) -> Memory:
    memory = evidence.memory
    return Memory(
        max_heap_bytes=known(memory.heap_max_bytes),
        live_bytes=known(memory.live_bytes_at_death),
        container_bytes=known(memory.container_bytes),
    )


def _program(program: Program | None) -> str | None:
    """What died, where it was no map or reduce task, and which of its kind where that is known."""
    if program is None:
        return None
    return f"{program.one} ({program.which})" if program.which else program.one
