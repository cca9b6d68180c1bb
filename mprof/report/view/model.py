"""What a report says, as frozen values. Sizes are bytes; ratios run from 0 to 1.

Numbers stay numbers, so that a page that lets its reader sort or zoom can use the same view; ids
(a cause, an owner, a unit) are those of the rules and of the evidence, and `report.words` names
them for people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "AccountRow",
    "CauseView",
    "Change",
    "ContainerPart",
    "ContainerView",
    "Contents",
    "CurveView",
    "Death",
    "DiagnosisView",
    "FailedAttempt",
    "ForecastView",
    "FrameView",
    "Groups",
    "Limits",
    "Measure",
    "MessageView",
    "Nearness",
    "Partition",
    "Partitions",
    "PeakPartView",
    "Place",
    "ProbesView",
    "Setting",
    "Share",
    "Undecided",
    "ViewPoint",
]

Outcome = Literal["end unknown", "finished", "died"]
Conclusion = Literal[
    "causes",
    "no failure seen",
    "not memory",
    "application master",
    "not the heap",
    "pipe thread",
    "undecided",
    "no rule fires",
]
Measure = Literal["bytes", "records"]
CountedIn = Literal["entries", "characters", "bytes"]


@dataclass(frozen=True, slots=True)
class Share:
    """A size and its share of a whole."""

    bytes: int
    ratio: float


@dataclass(frozen=True, slots=True)
class Death:
    """Which task ended, how, and where it stood.

    Attributes:
        kind: a kind of death, as in `mprof.rules.DEATHS`.
        quoted: the line of a log or an event that says so.
        outcome: whether it died, finished, or left nothing that says how it ended.
        job_name: as its submitter called it.
        job_id: None for a lone dump or lone logs.
        attempt_id: None for a lone dump.
        container_id: for who has its logs; None where nothing names it, or mprof has run the job.
        of_attempt: what is known to have finished is the attempt; how its job ended is not known.
        is_map: a map attempt.
        place: where the code stood, a key of `words.PLACE_NAMES`; None where that is not known.
        record: 1-based number of the record at death: of its group where `group` is given, else
            of the task; None where it was not counted.
        group: 1-based number of the group at death.
        driver_error: message of the OutOfMemoryError that the command itself died of.
        driver_failure: how the command ended, where it failed and its job did not, as in "ended
            with exit code 1"; None otherwise.
        local_jobs: jobs that ran inside the command.
    """

    kind: str
    quoted: str
    outcome: Outcome
    job_name: str | None = None
    job_id: str | None = None
    attempt_id: str | None = None
    container_id: str | None = None
    of_attempt: bool = False
    is_map: bool = False
    place: str | None = None
    record: int | None = None
    group: int | None = None
    driver_error: str | None = None
    driver_failure: str | None = None
    local_jobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """The memory the attempt had, and how far it got; None for what is not known.

    Attributes:
        max_heap_bytes: -Xmx.
        live_bytes: live at death.
        container_bytes: physical memory that YARN grants the container.
        input_read: ratio of the input of the running user code that was taken in.
    """

    max_heap_bytes: int | None = None
    live_bytes: int | None = None
    container_bytes: int | None = None
    input_read: float | None = None


@dataclass(frozen=True, slots=True)
class PeakPartView:
    """A part of the live heap: a buffer of Hadoop's, or all objects of `of`, a class."""

    kind: Literal["sort buffer", "shuffle", "class"]
    of: str | None
    share: Share


@dataclass(frozen=True, slots=True)
class ForecastView:
    """The input at which the heap would be full.

    Attributes:
        unit: what `at` counts, a key of `words.UNIT_NAMES`.
        at: 1-based ordinal of the first record or group for which there is no room.
        times: the input of this attempt that so many are.
        input_bytes: of a split or partition of that many; None where that is not known.
        at_the_earliest: the growth was measured by upper bounds.
    """

    unit: str
    at: float
    times: float
    input_bytes: int | None
    at_the_earliest: bool


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near its limit an attempt came that did not fail.

    Attributes:
        attempt_id: which; None where its files do not say.
        live: the most that was live, and its share of the heap.
        at_most: less may have been live.
        heap_bytes: the limit.
        parts: what it was, the largest first.
        looked_at: whether classes were looked at.
        forecast: None where `why_none` says why there is none.
        why_none: a phrase.
    """

    attempt_id: str | None
    live: Share
    at_most: bool
    heap_bytes: int
    parts: tuple[PeakPartView, ...]
    looked_at: bool
    forecast: ForecastView | None
    why_none: str | None


@dataclass(frozen=True, slots=True)
class ContainerPart:
    """A part of a container's memory, or a process in it; of known bounds."""

    name: str
    least_bytes: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class ContainerView:
    """Where the memory of a container was, and what mprof did to its size.

    Attributes:
        sentence: what took it, or why that cannot be told; empty where it was not killed for it.
        parts: heap, direct buffers, other native memory, child processes.
        processes: those that were in it when it was killed, the largest first.
        room: how it differs from the plain job's, one sentence each.
    """

    sentence: str
    parts: tuple[ContainerPart, ...]
    processes: tuple[ContainerPart, ...]
    room: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChildView:
    """Which process ran out of memory, of a task that ran a child program.

    Attributes:
        sentence: what is known of the place; empty where there is nothing to say.
        details: whose memory it is, and what had gone through the pipe, one sentence each.
        ended: how the child ended, where that ended the task.
    """

    sentence: str
    details: tuple[str, ...]
    ended: str | None


@dataclass(frozen=True, slots=True)
class StatementView:
    """A statement of a script, or a line of a query.

    Attributes:
        alias: what it defines; empty of a query.
        line: of the script or query; None where it is not known.
        text: that line; empty where the job does not keep it.
        named: a cause names it.
    """

    alias: str
    line: int | None
    text: str
    named: bool


@dataclass(frozen=True, slots=True)
class ScriptView:
    """The script or query that a job was compiled from.

    Attributes:
        framework: that compiled it.
        unit: ``script`` or ``query``.
        name: its file name; empty where it is not known.
        statements: of a script those that the step at death computes, and those that a cause names;
            the lines of a query.
    """

    framework: str
    unit: str
    name: str
    statements: tuple[StatementView, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The code that holds the memory.

    Attributes:
        class_name: without its package.
        method: empty where no user frame holds it (a static field).
        path: the holder path; empty where the object was never allocated, so nothing holds it.
        script: the statement of a script that the code was at work for; empty without one.
        called_by: class and method of the job's step that called the code of another class.
    """

    class_name: str
    method: str
    file: str | None
    line: int | None
    path: str
    script: str = ""
    called_by: str = ""


@dataclass(frozen=True, slots=True)
class CauseView:
    """A cause that is named.

    Attributes:
        cause: its id.
        name: the cause as it stands in a sentence.
        category: `code`, `data` or `configuration`.
        rule: its number in the paper, else the slug of its file.
        published: `rule` is a number in the paper.
        confidence: `sure`, `likely` or `possible`.
        evidence: the weakest evidence it rests on, a key of `words.EVIDENCE_NAMES`.
        bytes: heap that it explains.
        headline_bytes: the same, None where it is not the size of what the cause names: the heap
            that a mapper fills is not the size of its split.
        sentence: what the rule found.
    """

    cause: str
    name: str
    category: str
    rule: str
    published: bool
    confidence: str
    evidence: str
    bytes: int | None
    headline_bytes: int | None
    where: Place | None
    sentence: str


@dataclass(frozen=True, slots=True)
class MessageView:
    """What the death's own message says, or what is known of its frames.

    Attributes:
        id: of its page.
        title: in a few words.
        proof: `proves`, `suggests` or `known to`, a key of `words.PROOF_NAMES`.
        sentence: what it says of this death.
        next_step: what would tell more; empty where nothing more is wanted.
    """

    id: str
    title: str
    proof: Literal["proves", "suggests", "known to"]
    sentence: str
    next_step: str


@dataclass(frozen=True, slots=True)
class FrameView:
    """A frame of the failing thread; `held` where its locals reach enough to say so."""

    class_name: str
    method: str
    file: str | None
    line: int | None
    held: Share | None


@dataclass(frozen=True, slots=True)
class Contents:
    """How many elements a container holds."""

    count: int
    counted_in: CountedIn


@dataclass(frozen=True, slots=True)
class AccountRow:
    """One row of the account of the heap at death.

    Attributes:
        name: a holder path, or whose memory it is.
        share: of what live objects may take.
        detail: class, contents, how long it lives and how it grows; "" where it is no object.
        style: how it is drawn.
        listed: it is worth a line of its own.
        in_legend: it is worth a word beside the picture.
        told: the headline says it, where no cause is named.
    """

    name: str
    share: Share
    detail: str = ""
    style: str = "framework"
    listed: bool = True
    in_legend: bool = True
    told: bool = False


@dataclass(frozen=True, slots=True)
class ViewPoint:
    """`bytes` when `x` of the curve's unit had been taken in."""

    x: float
    bytes: float


@dataclass(frozen=True, slots=True)
class CurveView:
    """How one object, one class or the live heap grew.

    Attributes:
        of: the holder path or the class; None for the whole live heap.
        of_class: `of` is a class.
        unit: what x counts, a key of `words.UNIT_NAMES`.
        source: `dump`, `histogram` or `passive`.
        points: by x.
        death: the size in the dump at death.
        by_histogram: whether points of an object were read off class histograms between dumps.
    """

    of: str | None
    of_class: bool
    unit: str
    source: str
    points: tuple[ViewPoint, ...]
    death: ViewPoint | None
    by_histogram: bool = False


@dataclass(frozen=True, slots=True)
class ProbesView:
    """What the probes of an attempt were and cost, beside what was planned.

    Attributes:
        dumps: heap dumps before the death.
        histograms: class histograms.
        seconds: the task stood still for them.
        attempt_seconds: how long the attempt ran; None where that is not known.
        planned: one sentence of the plan; "" where there is none.
    """

    dumps: int
    histograms: int
    seconds: float
    attempt_seconds: float | None
    planned: str


@dataclass(frozen=True, slots=True)
class Partition:
    """The input of one reducer, in the measure of `Partitions`."""

    index: int
    size: int
    own: bool


@dataclass(frozen=True, slots=True)
class Partitions:
    """What the reducers receive.

    Attributes:
        shown: that of the failed reducer first, then the largest ones.
        count: how many there are.
        source: where the sizes were read.
    """

    measure: Measure
    shown: tuple[Partition, ...]
    count: int
    source: str


@dataclass(frozen=True, slots=True)
class Groups:
    """The group at death beside the others, in one measure.

    Attributes:
        all_reducers: the others are those of every reducer, not of this one alone.
        others: how many others there are.
    """

    measure: Measure
    at_death: float
    largest_other: float
    upper_quartile: float
    median: float
    others: int
    all_reducers: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """A property, its new value, and the old one where it was set.

    ``option`` is what stands before it on the command line: ``-D `` of Hadoop's own commands.
    """

    name: str
    new: str
    old: str | None
    option: str = "-D "

    @property
    def words(self) -> str:
        """As it is typed."""
        return f"{self.option}{self.name}={self.new}"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to change: a setting, or code or data where `setting` is None.

    `predicted_peak_bytes` are live bytes at the peak with it, None where no model says; `first_aid`
    is no cure, and stands apart from the settings to copy.
    """

    text: str
    setting: Setting | None = None
    predicted_peak_bytes: int | None = None
    first_aid: bool = False


@dataclass(frozen=True, slots=True)
class Undecided:
    """Rules that cannot tell for want of one thing, and the run that would bring it.

    Attributes:
        causes: the causes that those rules would name.
        missing: a phrase that completes "cannot tell without ...".
        run: a key of `words.RUN_NAMES`; `none` where no run would.
    """

    causes: tuple[str, ...]
    missing: str
    run: str


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """Another failed attempt of the job, and the line that says how it failed."""

    attempt_id: str
    line: str


@dataclass(frozen=True, slots=True)
class DiagnosisView:
    """All that a report says, in the order it is said.

    Attributes:
        container: None where nothing is to be said of it.
        child: None without a child program.
        script: None of a job that no script was compiled into.
        causes: the one that explains most bytes first.
        messages: what the death's own message says, what proves most first.
        account: what the heap held, row by row; empty without a dump at death.
        stack: of the failing thread, top frame first.
        curves: the most telling first.
        related: the steepest growth, where no rule fires; it is no cause.
        losses: what could not be read, measured or kept.
        nearness: how near its limit the attempt came, where none failed.
        probes: what the probes of the attempt cost; None where it had none.
        advised: what came of the run with the advised settings, a sentence each.
    """

    death: Death
    limits: Limits
    conclusion: Conclusion
    container: ContainerView | None = None
    child: ChildView | None = None
    script: ScriptView | None = None
    causes: tuple[CauseView, ...] = ()
    messages: tuple[MessageView, ...] = ()
    account: tuple[AccountRow, ...] = ()
    stack: tuple[FrameView, ...] = ()
    curves: tuple[CurveView, ...] = ()
    partitions: Partitions | None = None
    groups: Groups | None = None
    changes: tuple[Change, ...] = ()
    related: str | None = None
    undecided: tuple[Undecided, ...] = ()
    attempts: tuple[FailedAttempt, ...] = ()
    losses: tuple[str, ...] = ()
    nearness: Nearness | None = None
    probes: ProbesView | None = None
    advised: tuple[str, ...] = ()

    @property
    def on_one_axis(self) -> tuple[CurveView, ...]:
        """The curves that can share one picture: those over the unit of the first."""
        return tuple(one for one in self.curves if one.unit == self.curves[0].unit)

    @property
    def live_bytes(self) -> int:
        """Live bytes at death of all owners together."""
        rows = (row for row in self.account if row.style != "free")
        return sum(row.share.bytes for row in rows)
