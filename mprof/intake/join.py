"""Contents of every kind -> jobs, by the ids of applications, containers and attempts in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

from mprof.code_site import KeptInCode
from mprof.engines import Program, client_in, names_a_task
from mprof.findings import Found, Unused
from mprof.history import JobConf, JobHistory
from mprof.intake.commands import by_paragraph, jobs_in
from mprof.intake.headings import attempt_above, side_above
from mprof.intake.model import TakenIn
from mprof.intake.owners import (
    ANY_ATTEMPT,
    LOGGED,
    LOOKED_AT,
    application_in,
    beside,
    executor_of,
    is_log_name,
    is_of_a_process,
    label,
    last_job_above,
    may_be_a_post,
    names_a_container,
    only_job,
    own_attempt,
    role_of,
    titled,
    told_by,
)
from mprof.intake.pasted_code import kept_in_code
from mprof.intake.reports import Reports, is_executor, is_first, job_of, read_reports
from mprof.intake.roles import CONSOLE, MASTER, NODE, RESOURCE, TASK, TEXT, Role, role_by_words
from mprof.intake.runs import stated_by_job
from mprof.intake.sections import Section, container_in
from mprof.intake.sentences import (
    is_of_somebody,
    named_in,
    names_memory,
    of_logs,
    rests_on,
    said_in,
    without_sentences,
)
from mprof.intake.statements import FromTexts, Statements, of_side
from mprof.intake.told_ends import (
    MOST_SAID,
    of_end,
    speaks,
    tells,
    tells_of_memory,
    told_by_reports,
    was_killed,
    without_reports,
    without_request,
)
from mprof.intake.voices import voices_of, without_trials
from mprof.job_run import JobRun
from mprof.messages import BY_OOM_HANDLER, remarks_on, remarks_on_settings
from mprof.trace import (
    MEMORY_KINDS,
    BesideEnd,
    DeathKind,
    Excerpt,
    Log,
    LoggedError,
    Trace,
    beside_end,
    find_attempt_id,
    log_order,
    out_of_memory_in,
    parse_container_end,
    parse_gc_log,
    parse_timeout,
    read_log,
    trace_of_logs,
    with_beside,
)

__all__ = ["Joining"]

# JobClient.displayTaskLogs of Hadoop 1: what a task wrote, a line each
_PRINTED: Final = re.compile(r"(attempt_\d+_\d+_[mr]_\d+_\d+): (.*)")
# TaskUmbilicalProtocol.fatalError in a log of calls, TaskInProgress of Hadoop 1, TezTaskRunner
_ERROR_OF: Final = re.compile(r"\b(attempt_\d+_\d+_(?:[mr]|\d{1,5}_\d{2,4})_\d+_\d+)(?::|,) ?$")
# YarnChild and Child; ReduceTask.ReduceCopier of Hadoop 1, in its own log
_ENDED: Final = re.compile(r"running child|Map output copy failure")
_ENDED_A_TASK: Final = "Error running child : "
# PipeMapRed, of the program that a task runs
_OF_STREAMING: Final = re.compile(r"PipeMapRed\.waitOutputThreads\(\): subprocess ")
# YarnUncaughtExceptionHandler logs at FATAL, from 3.0 on at ERROR
_LEVELS_OF_AN_END: Final = frozenset({"FATAL", "ERROR"})
_LOOKED_BACK: Final = 30
"""Lines above an error in which the attempt stands that met it."""
_SIGKILL: Final = re.compile(r"(?i)(?:exit (?:code|status)|with(?: error)? code)(?: is|:)? 137\b")
_SIGTERM: Final = re.compile(r"(?i)exit code(?: is)?:? 143\b")
_NOT_INITIALISED: Final = re.compile(
    r"java\.lang\.NoClassDefFoundError: Could not initialize class "
)
# of a client, that may run several
_OF_NO_JOB: Final = ("command", "distcp", "hive-local-task", "hive-session")
_OF_JVM: Final = re.compile(r"^(?:hs_err_pid|gc\b)")  # its reports on its end, its collections
_ASKED_TO_END: Final = (0, 137, 143)  # or well
_MOST_REMARKS: Final = 20
_END_OF_ID: Final = re.compile(r"(?:^|[/_.-])([mr]_\d{6}_\d{1,4})(?=[/._-]|$)")
_NO_COLLECTOR: Final = "Unable to initialize MapOutputCollector"
_NONE_AT_ALL: Final = "Unable to initialize any output collector"
_ERROR: Final = re.compile(r"\s*((?:[\w$]+\.)+\w*(?:Exception|Error): \S.{0,400}?)\s*$")
_FRAME: Final = re.compile(r"\s*at [\w.$]+[.(]")
_ATTEMPT_OR_END: Final = re.compile(
    r"attempt_\d+_\d+_[mr]_\d+_\d+|(?<![a-zA-Z0-9_])[mr]_\d{6}_\d{1,4}(?!\w)"
)
_DAY: Final = re.compile(r"[\s>|]*(?:20)?(\d\d[-/]\d\d[-/]\d\d) \d\d:\d\d:\d\d")
_MONTHS: Final = timedelta(days=60)
# org.apache.hadoop.yarn.server.nodemanager.DirectoryCollection, 2.6 and later
_BAD_FOLDER: Final = re.compile(
    r"Directory (/\S{1,300}) error, (.{1,200}?), removing from list of valid directories"
)
_MOST_FOLDERS: Final = 10
_RUN_BY_TASKS: Final = frozenset({
    "org.apache.hadoop.mapreduce.Mapper", "org.apache.hadoop.mapreduce.Reducer",
})  # fmt: skip
"""What the main thread of a task alone runs, which may be all that is left of its stack."""
_USUAL_FOLDER: Final = "/nm-local-dir"  # yarn-default.xml: ${hadoop.tmp.dir}/nm-local-dir
_OF_USUAL_FOLDERS: Final = (
    ". A folder called nm-local-dir is the default, below hadoop.tmp.dir: "
    "yarn.nodemanager.local-dirs of that node (yarn-site.xml, then start the NodeManager again) "
    "names folders on larger disks instead, where it has some"
)
# in a heading of what a JVM printed
_OTHER_PROCESS: Final = re.compile(
    r"\b[mr]_\d{3,6}|(?<!\w)(?:container|task|attempt)_\d|"
    r"(?i:\b(?:executors?|driver|(?:an)?other|node ?manager|(?:name|data) ?node|region ?server|"
    r"server|master|client|hs2|hiveserver2)\b)"
)
# ContainerLaunch of a NodeManager, above the end of a log of the process that ended
_END_OF_LOG: Final = re.compile(
    r"(?:\[[^\]]*\] ?)?(?:Last \d{1,9} bytes of \S{1,40}|std(?:err|out)) ?:\s*$"
)
_SAYS_NOTHING: Final = "a text in which no end of a task or a process was recognised"


@dataclass(slots=True)
class _Container:
    """What is known of one container or attempt, or of a folder or file that names neither."""

    place: str
    container_id: str | None = None
    attempt_id: str | None = None
    host: str | None = None
    logs: list[Log] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    around: str = ""
    job: str | None = None
    in_task: bool = False
    wrote: Program | None = None
    dumps: list[Path] = field(default_factory=list)
    said: frozenset[str] = frozenset()  # sentences that speak of an end, and are of no log
    only_said: str = ""  # the one on which all that is known of its end rests
    side: str | None = None  # as a heading above its log says
    end_of_id: str = ""  # r_000050_0, where that is all its path says of its attempt

    def add(self, log: Log) -> None:
        """One log more; of an attempt that came to its end well little is kept."""
        self.logs.append(log)
        if any(each.done for each in self.logs) and not any(
            each.ended or each.words for each in self.logs
        ):
            self.logs = [each.of_a_good_end() for each in self.logs]


@dataclass(slots=True)
class Joining:
    """Takes contents in, in any order, and joins them in the end."""

    containers: dict[str, _Container] = field(default_factory=dict)
    masters: dict[str, list[Log]] = field(default_factory=dict)
    places: dict[str, set[str]] = field(default_factory=dict)
    reports: Reports = field(default_factory=Reports)
    histories: dict[str, JobHistory] = field(default_factory=dict)
    confs: dict[str | None, JobConf] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    dumps: list[tuple[Path, str]] = field(default_factory=list)
    captures: list[Path] = field(default_factory=list)
    found: dict[str, dict[str, int]] = field(default_factory=dict)
    unused: list[Unused] = field(default_factory=list)
    empty: list[Unused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)
    around: dict[str, str] = field(default_factory=dict)
    of_masters: dict[str | None, str] = field(default_factory=dict)
    statements: Statements = field(default_factory=Statements)
    code: list[tuple[tuple[KeptInCode, ...], frozenset[str]]] = field(default_factory=list)
    folders: dict[str, str] = field(default_factory=dict)
    beside: list[tuple[BesideEnd, str | None]] = field(default_factory=list)
    beside_of: list[tuple[BesideEnd, str]] = field(default_factory=list)
    names_memory: bool = False  # somewhere in a text that somebody wrote or pasted

    def count(self, kind: str, name: str) -> None:
        """One more content of a kind."""
        names = self.found.setdefault(kind, {})
        names[name] = names.get(name, 0) + 1

    def lose(self, name: str, why: str) -> None:
        """Something could not be used."""
        self.unused.append(Unused(name, why))

    def add(self, section: Section) -> None:
        """One log."""
        section = self._of_one_voice(section)
        role = role_of(section)
        self._note_folders(section)
        self._add_stated(section, role)
        if may_be_a_post(section):
            lines = section.excerpt.all_lines()
            self.names_memory = self.names_memory or any(map(names_memory, lines))
            section = replace(section, excerpt=without_trials(section.excerpt, tells))
        self._add_beside(section)
        if role == TEXT:
            section = replace(section, excerpt=without_sentences(section.excerpt))
        container = section.container_id or container_in(section.hint)
        is_log = role == TASK and is_of_a_process(section)
        reports = Reports() if is_log else read_reports(section.excerpt.parts)
        if reports.is_of_a_task_of_spark and tells_of_memory(section.excerpt):
            reports = Reports()  # of which the text tells more than what the task threw
        if role == TASK and reports.tasks and not is_log:
            by_itself = any("running child" in line for line in section.excerpt.all_lines())
            role = role if by_itself else CONSOLE  # Hive quotes the task that failed most often
        if role == TASK and reports.texts:
            role = TEXT  # no task tells of containers: somebody has pasted it beside such words
        if len(reports.texts) == 1 and is_executor(lost := next(iter(reports.texts))):
            reports.say(lost, of_end(section.excerpt))  # the kubelet's words about its pod
        if role == TEXT and not reports and not speaks(section.excerpt):
            noted = self._remark_on(section.excerpt)
            is_said = not noted and self._add_said(section)
            if is_said or noted | self._remark_on_settings(section):
                self.count(role, section.name)
            elif section.name in self.statements.texts:
                self.count("settings in texts", section.name)
            else:
                self.lose(section.name, _SAYS_NOTHING)
            return
        of_jvm = _OF_JVM.search(section.name.rsplit("/", 1)[-1]) is not None
        self.count("logs of JVMs" if of_jvm else role, section.name)
        self.reports.add(reports)
        if reports and not told_by_reports(reports) and not speaks(section.excerpt):
            self._remark_on_settings(section)  # of a job of which nothing tells an end
        if role in {CONSOLE, TEXT}:
            self._note_engine(section, reports)
        if role != TASK or label(section).startswith("hs_err_pid"):
            self._remark_on(section.excerpt)
        if role == MASTER:
            master = container or application_in(section.excerpt) or section.name
            own = read_log(label(section), without_reports(section.excerpt))
            self.masters.setdefault(master, []).append(own)
            self.places.setdefault(section.place, set()).add(master)
            self.of_masters[job_of(master)] = "MRAppMaster"  # by its classes
        elif role in {CONSOLE, TEXT} and self._add_of_client(section, reports):
            self._add_quoted(section, reports)
        elif role == TASK or (role == TEXT and not reports):
            # a report of the JVM about its own end says what it ran
            is_known = role == TASK and not label(section).startswith("hs_err_pid")
            self._add_text(section, container, is_known=is_known)
        elif role in {CONSOLE, TEXT}:
            quoted = self._add_quoted(section, reports)
            said = of_logs(section.excerpt.all_lines())[:MOST_SAID] if role == TEXT else ""
            self.around |= dict.fromkeys(reports.texts, said)
            if role == TEXT and not (quoted or told_by_reports(reports)):
                self._add_text(section, container, is_known=False)
            elif not (quoted or told_by_reports(reports)):
                self._add_said(section)
        elif role in {NODE, RESOURCE}:
            has_own = self._add_own(section)
            if may_be_a_post(section) and is_of_somebody(section.excerpt.all_lines()):
                log = read_log(label(section), section.excerpt)
                if not has_own and any(_ENDED.search(one.how) for one in log.errors):
                    self._add_quoted(section, reports)  # of a task, whose log is pasted as well
                else:
                    self._add_collections(section, reports, log)

    def _note_folders(self, section: Section) -> None:
        """Folders that a NodeManager took out of use, and why."""
        for line in section.excerpt.all_lines():
            bad = _BAD_FOLDER.search(line) if "removing from list" in line else None
            if bad is not None and len(self.folders) < _MOST_FOLDERS:
                self.folders.setdefault(bad[1], bad[2])

    def _add_beside(self, section: Section) -> None:
        """What somebody pasted beside an end: the kernel's log, the last words of a program."""
        shown = beside_end([line for _, line in section.excerpt.numbered()])
        if shown and may_be_a_post(section):
            text = "\n".join(section.excerpt.all_lines())
            self.beside.append((shown, only_job(text)))
            self.beside_of += (
                # the machines and their limits are the same for all, and whom the kernel killed
                # is not told by where its log stands; the program is the same in all
                (
                    replace(
                        of_it,
                        kills=(),
                        node=shown.node,
                        ulimit_bytes=shown.ulimit_bytes,
                        needs=replace(of_it.needs, peak_bytes=shown.needs.peak_bytes),
                    ),
                    job,
                )
                for job, lines in by_paragraph([*section.excerpt.numbered()])
                if (of_it := beside_end([line for _, line in lines])) or shown.needs.peak_bytes
            )

    def _note_engine(self, section: Section, reports: Reports) -> None:
        """Keep a text that tells of an application master: it may show the engine that it led.

        Somebody's own words count as well: YARN's are the same for every engine.
        """
        text = "\n".join(section.excerpt.all_lines())[:MOST_SAID]
        firsts = {one for one in (*reports.texts, *reports.exits) if is_first(one)}
        jobs = {*map(job_of, (*firsts, *reports.masters)), *reports.job_texts}
        job = only_job(text)  # of several applications, it would not say which
        if job in jobs:
            self.of_masters[job] = f"{self.of_masters.get(job, '')}{text}\n"[:MOST_SAID]

    def _of_one_voice(self, section: Section) -> Section:
        """A text as the first wrote it who tells of an end, where several people speak in it."""
        if not may_be_a_post(section):
            return section
        excerpt, other = voices_of(section.excerpt, tells)
        if other is not None:
            self.notes.append(
                f"{section.name}: from line {other} on somebody else tells of an end, which is not "
                "taken for the same one. Next step: name that part as a file of its own"
            )
        return replace(section, excerpt=excerpt)

    def _add_stated(self, section: Section, role: Role) -> None:
        """The settings that a text states, for the jobs that it names.

        A log names those of other processes, too: a server's has some of a job only where somebody
        speaks beside it.
        """
        if not may_be_a_post(section):
            return
        own = section.excerpt
        lines = [(section.before + own.of_file(number), line) for number, line in own.numbered()]
        kept = kept_in_code(lines)
        if kept:
            self.code.append((kept, frozenset(jobs_in(lines))))
        if role in {NODE, RESOURCE} and not is_of_somebody(line for _, line in lines):
            return
        for jobs, stated in stated_by_job(lines):
            if stated:
                self.statements.add(section.name, stated, jobs)

    def _add_own(self, section: Section) -> bool:
        """What the log of a server says of its own memory, beside what it tells of containers.

        Returns:
            Whether it says anything.
        """
        log = read_log(label(section), section.excerpt)
        own = tuple(
            each
            for each in log.errors
            if out_of_memory_in(each.error) is not None
            and each.level in _LEVELS_OF_AN_END
            and "Last 4096 bytes" not in each.how
        )
        if own:
            one = self.containers.setdefault(f"{section.name}/", _Container(section.place))
            one.around = one.around or "\n".join(section.excerpt.all_lines())[:MOST_SAID]
            one.add(replace(log, errors=own, words=(), done=None, ended=True, no_memory=()))
        return bool(own)

    def _add_of_client(self, section: Section, reports: Reports) -> bool:
        """The error that the JVM of the client met itself, in what it printed; whether it met one.

        Whatever reaches the main thread of a task is caught (``YarnChild.main``). What was printed
        of another thread is taken for the client's own where no attempt is told to have failed; of
        a stack that no thread is named for, only its frames say whose it is.
        """
        text = "\n".join(section.excerpt.all_lines())
        client = client_in(text)
        if client is None or names_a_container(section):
            return False  # a launcher, such as Oozie's, submits jobs from a task
        log = read_log(label(section), section.excerpt)
        lines = dict(section.excerpt.numbered())
        own = [each for each in log.errors if _is_of_its_jvm(each, lines.get(each.line, ""))]
        if reports.texts or reports.job_texts:
            own = [
                each
                for each in own
                if each.thread == "main" and not _is_of_a_container(lines, each.line)
            ]
        if not own:
            return False
        # the JVM makes its dump at the first; what other threads meet then follows from it
        told = [each for each in own if each.dump or each.thread]
        first = tuple([each for each in told if each.dump] or told or own)
        one = self.containers.setdefault(f"{section.name}/client", _Container(section.place))
        one.wrote = client if told else None
        one.job = only_job(text) if client.id == "local-runner" else None
        one.add(replace(log, errors=first, words=(), done=None, ended=True, no_memory=()))
        for each in log.errors:
            if each.line > first[0].line and _NOT_INITIALISED.match(each.error.first_line):
                said, line = each.error.first_line, first[0].line
                self.notes.append(
                    f"{section.name}, line {each.line_of_file}: the class was found, but its "
                    "initialisation had failed before, as it does after the error in line "
                    f"{line}: no jar is missing ({said})"
                )
        return True

    def _add_quoted(self, section: Section, reports: Reports) -> bool:
        """The logs of tasks that stand in what a command printed, or are pasted behind it.

        Returns:
            Whether an error in it ended a task.
        """
        printed: dict[str, list[str]] = {}
        for line in section.excerpt.all_lines():
            match = _PRINTED.match(line) if line.startswith("attempt_") else None
            if match is not None:
                printed.setdefault(match[1], []).append(match[2])
        for attempt, lines in printed.items():
            one = self.containers.setdefault(attempt, _Container(section.place, None, attempt))
            own = Excerpt(((1, tuple(lines)),), tuple(lines[-LOOKED_AT:]), len(lines))
            one.add(read_log("stderr", own))
        log = read_log(label(section), section.excerpt)
        self._add_why_no_collector(section)
        is_named = False
        for each in log.errors:
            named = _ERROR_OF.search(each.how)
            if named is not None and named[1] not in reports.texts:
                self._add_error_of(named[1], section, replace(log, errors=(each,)))
                is_named = True
        for each, attempt in _of_a_program(section.excerpt, log):
            if attempt not in reports.texts and not is_named:
                self._add_error_of(attempt, section, replace(log, errors=(each,)))
        errors = tuple(each for each in log.errors if _ENDED.search(each.how))
        if not errors and any(map(is_executor, reports.texts)):
            errors = tuple(  # of the driver, that lost them
                each
                for each in log.errors
                if each.is_uncaught and out_of_memory_in(each.error) is not None
            )
        if not errors and reports.job_texts and not reports.texts:
            errors = tuple(_without_their_head(log.errors, section.excerpt))
        if not errors and self._add_of_master(reports, log):
            return True
        if not errors:
            self._add_collections(section, reports, log)
            self._add_caught(section, log)
            return is_named
        failed = [id_ for id_, state in reports.states.items() if state == "FAILED"]
        if len(failed) > 1:
            errors = self._without_named(section, reports, replace(log, errors=errors), failed)
            if not errors:
                return True
        own_id = failed[0] if len(failed) == 1 and failed[0].startswith("attempt") else None
        if own_id is not None and was_killed(reports.said_of(own_id)):
            own_id = None  # it did not end by an error of its own as well
        if not reports.texts and not reports.states:
            own_id = own_attempt(section.excerpt)
        key = own_id or f"{section.name}/"
        one = self.containers.setdefault(key, _Container(section.place, None, own_id))
        one.job = only_job("\n".join(section.excerpt.all_lines()))
        one.add(replace(log, errors=errors, words=(), done=None, ended=True, no_memory=()))
        return True

    def _add_why_no_collector(self, section: Section) -> None:
        """Why no collector could be made, which `MapTask` logs, and does not throw (up to 2.6)."""
        lines = [*section.excerpt.all_lines()]
        below = (two for one, two in pairwise(lines) if _NO_COLLECTOR in one)
        why = {one[1] for line in below if (one := _ERROR.match(line)) is not None}
        told = [id_ for id_ in self.reports.texts if _NONE_AT_ALL in self.reports.said_of(id_)]
        if len(why) != 1 or len({*map(job_of, told)}) != 1:
            return
        for id_ in told:
            said = self.reports.said_of(id_).split("\n")
            last = max(
                at for at, one in enumerate(said) if _NONE_AT_ALL in one or _FRAME.match(one)
            )
            said.insert(last + 1, f"Caused by: {next(iter(why))}")
            self.reports.texts[id_] = ["\n".join(said)]

    def _without_named(
        self, section: Section, reports: Reports, log: Log, failed: Sequence[str]
    ) -> tuple[LoggedError, ...]:
        """The errors that are of no attempt which the line above names; the others are taken in.

        What the command printed of that attempt has the same message.
        """
        lines, left = dict(section.excerpt.numbered()), list[LoggedError]()
        for one in log.errors:
            own = attempt_above(lines, one.line, failed)
            said = [line.rstrip() for line in reports.said_of(own).split("\n")]
            words = one.error.message or one.error.class_name
            if own is None or not any(line.endswith(words) for line in said):
                left.append(one)
                continue
            container = self.containers.setdefault(own, _Container(section.place, None, own))
            container.job = job_of(own)
            container.add(
                replace(log, errors=(one,), words=(), done=None, ended=True, no_memory=())
            )
        return tuple(left)

    def _add_of_master(self, reports: Reports, log: Log) -> bool:
        """What ended the only application master of a text, whose end says no more than its code.

        Nothing else in the text ended: an error that no process caught is then its own.
        """
        masters = [job for job, said in reports.job_texts.items() if "AM Container" in said]
        own = tuple(
            each
            for each in log.errors
            if each.is_uncaught
            and each.level in _LEVELS_OF_AN_END
            and out_of_memory_in(each.error) is not None
        )
        others = [one for one in reports.texts if job_of(one) != masters[0]] if masters else []
        others += [one for one in reports.texts if not is_first(one)]
        if len(masters) != 1 or others or not own:
            return False
        name = masters[0].replace("job_", "application_", 1)
        own_log = replace(log, errors=own, words=(), done=None, ended=True, no_memory=())
        self.masters.setdefault(name, []).append(own_log)
        return True

    def _add_caught(self, section: Section, log: Log) -> None:
        """An OutOfMemoryError that a task caught and outlived, in its log that somebody pasted."""
        caught = tuple(one for one in log.errors if out_of_memory_in(one.error) is not None)
        if log.done is not None and caught and own_attempt(section.excerpt) == log.done:
            one = self.containers.setdefault(log.done, _Container(section.place, None, log.done))
            one.add(replace(log, errors=caught, words=(), no_memory=()))

    def _add_collections(self, section: Section, reports: Reports, log: Log) -> None:
        """What a JVM printed and somebody pasted behind what a command did, of an attempt there.

        The line above them names it by its id or the end of that (``r_000013_0``); where one
        attempt failed and no line between names another process, they are of that one. A thread
        dump is of a task where its main thread runs one.
        """
        failed = [id_ for id_ in reports.texts if id_.startswith("attempt_")]
        is_task = names_a_task("\n".join(frame.class_name for frame in log.dumped)) or any(
            frame.class_name in _RUN_BY_TASKS and frame.method == "run" for frame in log.dumped
        )
        if not (log.collections or is_task) or not failed:
            return
        lines = [line for _, line in section.excerpt.numbered()]
        first = next((at for at, line in enumerate(lines) if _is_of_a_jvm(line)), 0)
        above = next(filter(str.strip, reversed(lines[:first])), "")
        named = [id_ for id_ in failed if id_.split("_", 3)[3] in above]
        end = max((at for at in range(first) if any(id_ in lines[at] for id_ in failed)), default=0)
        is_other = any(map(_OTHER_PROCESS.search, lines[end + 1 : first]))
        if not named and len(failed) == 1 and not is_other:
            named = failed
        if not named and is_task and not log.collections:
            named = self._last_named(section, failed, lines[:first])
        for id_ in failed if log.collections else named:
            one = self.containers.setdefault(id_, _Container(section.place, None, id_))
            if id_ not in named:
                one.add(Log(log.file, tells_of_others=True))
                continue
            dumped = log.dumped if is_task else ()
            one.add(Log(log.file, collections=log.collections, dumped=dumped))

    def _last_named(
        self, section: Section, failed: Sequence[str], above: Sequence[str]
    ) -> list[str]:
        """Of several attempts that timed out, the one that was named last above a dump of a task.

        Nothing but that names it, which the report says. Where the last one named is a later
        attempt of the same task, which was still running, the dump is said to be of that one.
        """
        if not all(parse_timeout(self.reports.said_of(one)) for one in failed):
            return []
        ends = {one: one.split("_", 3)[3] for one in failed}
        said = [
            (at, one) for at, line in enumerate(above) for one, end in ends.items() if end in line
        ]
        if not said:
            return []
        last, own = said[-1]
        job = own.rpartition("_")[0].rsplit("_", 2)[0]
        running = [
            each if each.startswith("attempt_") else f"{job}_{each}"
            for line in above[last + 1 :]
            for each in _ATTEMPT_OR_END.findall(line)
        ]
        if running and running[-1].rpartition("_")[0] != own.rpartition("_")[0]:
            return []
        self.notes.append(
            f"{section.name}: the thread dump is of {running[-1]}, a later attempt of the task of "
            f"{own}; it is shown for that one, of which there is none"
            if running
            else f"{section.name}: the thread dump is given without the id of its attempt; it is "
            f"taken for that of {own}, which is named last above it"
        )
        return [own]

    def _add_error_of(self, attempt: str, section: Section, log: Log) -> None:
        """The error that a text says an attempt met, of MapReduce or of Tez."""
        error = log.errors[0]
        own = attempt if find_attempt_id(attempt) is not None else None
        around = f"{error.how}{error.error.first_line}"
        one = _Container(section.place, None, own, around=around, job=job_of(attempt))
        one = self.containers.setdefault(own or f"{section.name}/{attempt}", one)
        one.add(replace(log, words=(), done=None, ended=True, no_memory=()))

    def _remark_on(self, excerpt: Excerpt) -> bool:
        """Keep what is known of a text's words; whether anything is."""
        if len(self.remarks) >= _MOST_REMARKS:
            return True
        text = "\n".join(excerpt.all_lines())
        if len(text) > 2 * MOST_SAID:
            text = f"{text[:MOST_SAID]}\n{text[-MOST_SAID:]}"
        errors = [one.error for one in read_log("text", excerpt).errors]
        said = {one.partition(". ")[0]: one for one in remarks_on(text, errors)}
        self.remarks.update(said)
        return bool(said)

    def _remark_on_settings(self, section: Section) -> bool:
        """Keep what settings say that stand in a text alone; whether they say anything."""
        told = self.statements.of_text(section.name)
        said = {one: one for one in remarks_on_settings(told)}
        self.remarks.update(said)
        return bool(said)

    def _add_text(self, section: Section, container: str | None, *, is_known: bool) -> None:
        # of the folder, where nothing else names it: launch_container.sh, a log or another file
        attempt = find_attempt_id(section.hint) if section.container_id is None else None
        own = attempt.text if attempt is not None else own_attempt(section.excerpt)
        named = label(section)
        log = read_log(named, section.excerpt)
        is_other = False
        if not is_known or may_be_a_post(section):
            recent = _of_its_last_months(log, section.excerpt)
            self.notes += (
                f"{section.name}, line {one.line_of_file}: an error of months before the last end "
                "is left out"
                for one in log.errors
                if one not in recent.errors
            )
            log = recent
        if not is_known:
            is_other = _is_of_another_process(log)
            own = None if is_other else own
        near = beside(section, named)
        container = container or titled(section.excerpt) or executor_of(section)
        key = container or (attempt.text if attempt is not None else None) or own or near
        one = self.containers.setdefault(key, _Container(section.place, container))
        one.attempt_id = one.attempt_id or own
        ended = _END_OF_ID.search(section.hint)
        one.end_of_id = ended[1] if ended is not None else one.end_of_id
        one.host = one.host or section.host
        one.add(log)
        if is_known and not (one.attempt_id or one.in_task) and (log.errors or log.words):
            # the logs of a container have the same names whatever it runs
            one.in_task = is_known = role_by_words(told_by(section)) == TASK
        if not is_known and len(one.around) < MOST_SAID:  # its words may say whose process it was
            one.around += of_logs(section.excerpt.all_lines())[:MOST_SAID]
            one.job = None if is_other else only_job(one.around)
        if log.errors and may_be_a_post(section):
            one.side = side_above(dict(section.excerpt.numbered()), log.errors[0].line)
        if not is_known:
            one.said |= said_in(section.excerpt.numbered())
        if one.job is None and not is_other and not (container or own) and log.errors:
            one.job = last_job_above(section.excerpt, log.errors[0].line)
        if container is not None and is_executor(container) and not is_known:
            self.reports.say(container, of_end(section.excerpt))
        elif not (is_known and (one.container_id or one.attempt_id)):
            end = of_end(section.excerpt)
            one.ends += [end] if end else []

    def _add_said(self, section: Section) -> bool:
        """An end of which a text tells in the words of the JVM, and in a sentence alone."""
        if not may_be_a_post(section):
            return False
        lines = [line for _, line in section.excerpt.numbered()]
        words, line = named_in(lines)
        if words:
            key = f"{section.name}/"
            one = self.containers.setdefault(key, _Container(section.place, only_said=line))
            one.ends = one.ends or [f"Error: {words}"]
            one.around = one.around or of_logs(lines)[:MOST_SAID]
            client = client_in(one.around)  # in which the tasks run
            one.wrote = client if client is not None and client.id == "local-runner" else None
            one.job = one.job or only_job(one.around)
        return bool(words)

    def joined(self) -> TakenIn:
        """Everything by job."""
        self._find_masters()
        self._join_logs_beside()
        self._name_by_folders()
        lone = [path for path, place in self.dumps if not self._takes_dump(path, place)]
        traces = [*((trace, None) for trace in self.traces), *self._traces()]
        jobs: dict[str | None, list[Trace]] = {}
        for trace, job in traces:
            id_ = trace.attempt_id or trace.container_id
            by_id = job_of(id_) if id_ is not None and not is_executor(id_) else job
            jobs.setdefault(by_id, []).append(trace)
        masters = {job_of(name) for name in (*self.masters, *self.reports.masters)}
        named = {*self.histories, *self.reports.jobs, *self.confs, *masters}
        for name in named - {None}:
            jobs.setdefault(name, [])
        if None in masters and self._master_of(None)[1]:  # a log of one that names no application
            jobs.setdefault(None, [])
        alone = [name for name in jobs if name is not None]
        of_no_job = None in jobs and jobs[None] != [] and all(map(_is_of_no_job, jobs[None]))
        if None in jobs and len(alone) == 1 and not jobs[alone[0]] and not of_no_job:
            jobs[alone[0]] = jobs.pop(None)  # logs beside the history of one job are that job's
        elif None in jobs and len(alone) == 1 and _are_of(jobs[None], jobs[alone[0]]):
            jobs[alone[0]] += jobs.pop(None)
        jobs = {name: _paired(_with_the_only_id(of_job), name) for name, of_job in jobs.items()}
        return TakenIn(
            jobs=tuple(
                self._job(name, jobs[name], alone=len(jobs) == 1)
                for name in sorted(jobs, key=lambda one: one or "~")
            ),
            dumps=tuple(lone),
            captures=tuple(self.captures),
            found=tuple(
                Found(kind, sum(names.values()), next(iter(names)), len(names))
                for kind, names in self.found.items()
            ),
            unused=(*self._not_used(), *(() if self.found else self.empty)),
            notes=(*self.notes, *self._killed_beside(), *self._out_of_use()),
            remarks=(*self.remarks.values(), *self._waiting(), *self._asked_to_end()),
        )

    def _not_used(self) -> Iterator[Unused]:
        """Contents of which nothing was used: another part of the same file may have been."""
        used = {name for names in self.found.values() for name in names}
        yield from (one for one in self.unused if one.name not in used or one.why != _SAYS_NOTHING)

    def _takes_dump(self, path: Path, place: str) -> bool:
        """Whether a heap dump is of a container whose logs lie beside it."""
        for one in self.containers.values():
            if one.place == place and one.logs:
                one.dumps.append(path)
                return True
        return False

    def _waiting(self) -> Iterator[str]:
        """Of each job that was submitted and of which nothing tells an end."""
        for job, state in self.reports.jobs.items():
            if state == "RUNNING" and job not in self.histories:
                application = job.replace("job_", "application_")
                yield (
                    f"{job} was submitted, and nothing that was read says that it ended. One that "
                    "makes no progress may wait for a container that no node can give. Next step: "
                    f"yarn application -status {application} says in which state it is, and the "
                    "page of the ResourceManager how much memory its nodes have."
                )

    def _asked_to_end(self) -> Iterator[str]:
        """What exit code 143 is of an attempt that had succeeded (``ContainerLauncherImpl``)."""
        done = [
            id_
            for id_, state in self.reports.states.items()
            if state == "SUCCEEDED"
            and id_.startswith("attempt_")
            and _SIGTERM.search(self.reports.said_of(id_))
        ]
        if done:
            more = f" and {len(done) - 1:,} more" if len(done) > 1 else ""
            yield (
                f"{done[0]}{more} had succeeded when its container ended with exit code 143: the "
                "application master asks the container of an attempt that is done to end "
                "(SIGTERM). That is no failure and no sign of a lack of memory; a kill for memory "
                "is named as one (running beyond physical memory limits)."
            )

    def _killed_beside(self) -> Iterator[str]:
        """What exit code 137 is likely to be beside kills of a NodeManager's OOM handler."""
        said = {id_: self.reports.said_of(id_) for id_ in self.reports.texts}
        named = [id_ for id_, text in said.items() if BY_OOM_HANDLER in text]
        others = any(id_ not in named and _SIGKILL.search(text) for id_, text in said.items())
        if named and others:
            yield (
                f"a NodeManager's own lines say that it killed {named[0]}"
                f"{f' and {len(named) - 1:,} more' if len(named) > 1 else ''} with SIGKILL, "
                "because all containers of its node together had no memory left. Exit code 137 of "
                "others on that node is likely the same"
            )

    def _out_of_use(self) -> Iterator[str]:
        """The folders that a NodeManager says to have taken out of use, and why."""
        if self.folders:
            named = (f"{folder} ({why})" for folder, why in self.folders.items())
            usual = any(folder.rstrip("/").endswith(_USUAL_FOLDER) for folder in self.folders)
            yield (
                f"a NodeManager's log took out of use, as it says: {', '.join(named)}"
                f"{_OF_USUAL_FOLDERS if usual else ''}"
            )

    def _join_logs_beside(self) -> None:
        """Take logs that name nobody for those of the process whose other logs lie beside them.

        A process has its standard output, its standard error and its syslog in one folder, and
        as a rule the last alone names it: a container, or the application master of a job.
        """
        for key in [*self.containers]:
            unnamed = self.containers[key]
            if key != f"{unnamed.place}/" or unnamed.container_id or unnamed.attempt_id:
                continue
            files = {log.file for log in unnamed.logs}
            beside = [
                one
                for one in self.containers.values()
                if one.place == unnamed.place
                and (one.container_id or one.attempt_id)
                and any(is_log_name(log.file) for log in one.logs)
            ]
            if len(beside) == 1 and files.isdisjoint(log.file for log in beside[0].logs):
                for log in unnamed.logs:
                    beside[0].add(log)
                del self.containers[key]
            masters = self.places.get(unnamed.place, set())
            if not beside and len(masters) == 1:
                own = self.masters[next(iter(masters))]
                is_own = files.isdisjoint(log.file for log in own) and is_log_name(own[0].file)
                if is_own and not any(map(_may_be_of_a_task, unnamed.logs)):
                    own += unnamed.logs
                    del self.containers[key]

    def _name_by_folders(self) -> None:
        """Logs in a folder called by the end of an id, ``r_000050_0``, are of the attempt so told.

        Unless two jobs have such an attempt.
        """
        told = {*self.reports.texts, *self.reports.states}
        for key, one in [*self.containers.items()]:
            if one.attempt_id is None and one.container_id is None and one.end_of_id:
                named = [id_ for id_ in told if id_.endswith(f"_{one.end_of_id}")]
                if len(named) == 1 and named[0] not in self.containers:
                    one.attempt_id = named[0]
                    self.containers[named[0]] = self.containers.pop(key)

    def _find_masters(self) -> None:
        """The first container of an application's attempt is its master's, whoever wrote that.

        ``RMAppAttemptImpl``: nothing else is asked for before it runs.
        """
        reports = self.reports
        for key, one in [*self.containers.items()]:
            if one.container_id in self.masters:  # of which another log says what it is
                self.masters[one.container_id] += one.logs
                reports.masters.add(one.container_id)
                del self.containers[key]
        named = {*reports.texts, *reports.states, *reports.exits} - {*self.containers}
        reports.masters |= {one for one in named if is_first(one) and one not in reports.attempts}

    def _job(self, name: str | None, traces: list[Trace], *, alone: bool) -> JobRun:
        for shown, of in self.beside:
            if of == name or (of is None and alone):
                traces = [with_beside(one, shown) for one in traces]
        for shown, of in self.beside_of:
            if of == name and not alone:
                traces = [with_beside(one, shown) for one in traces]
        history = self.histories.get(name or "")
        state = self.reports.jobs.get(name or "")
        state = None if state in {"RUNNING", "ENDED"} else state
        diagnostics = self.reports.job_texts.get(name or "", "")
        of_memory, master = self._master_of(name)
        if master and state != "SUCCEEDED" and not any(trace.failed for trace in traces):
            # what it logged of memory says more than the code with which it ended
            told = [master, diagnostics] if of_memory else [diagnostics or master]
            state, diagnostics = "FAILED", "\n".join(filter(None, told))
        task = self.reports.tasks.get(name or "")
        if task and history is None and not any(task[5:] in (t.attempt_id or "") for t in traces):
            self.notes.append(f"of {name}, {task} is named as one that failed")
        if task and history is None and not any(trace.failed for trace in traces):
            traces = [*traces, *self._of_task(task, diagnostics)]
        if "was killed by user" in diagnostics and any(trace.failed for trace in traces):
            self.notes.append(f"its attempts failed, but this is how it ended: {diagnostics}")
        conf = self.confs.get(name)
        if conf is None and len(self.confs) == 1 and None in self.confs:
            conf = self.confs[None]
        stated = FromTexts()
        if conf is None:
            stated = self.statements.of_job(name, traces, alone=alone)
            traces = [of_side(one, stated.side) for one in traces]
        is_map_only = name in self.reports.map_only
        losses = stated.losses
        if is_map_only and any(of_side(one, "map") is not one for one in traces):
            traces = [of_side(one, "map") for one in traces]
            losses = (*losses, "that it was a map task is concluded: the job has no reduce task")
        return JobRun(
            job_id=name,
            mode="none",
            history=history,
            conf=conf,
            state=(history.state if history is not None else None) or state,
            diagnostics=(history.diagnostics if history is not None else "") or diagnostics,
            traces=tuple(traces),
            losses=(*self.losses, *losses),
            around=f"{self.reports.beside.get(name or '', '')}{self.of_masters.get(name, '')}",
            stated=stated.conf,
            doubted=stated.doubted,
            not_read=stated.not_read,
            died_with=stated.died_with,
            passed_with=stated.passed_with,
            was=stated.was,
            elsewhere=stated.elsewhere,
            kept_in_code=self._code_of(name, alone=alone),
            framework=self.reports.frameworks.get(name or "", ""),
            maps=self.reports.maps.get(name or ""),
            is_map_only=is_map_only,
            no_task_failed=state is None and name in self.reports.no_task_failed,
            names_memory=self.names_memory,
        )

    def _code_of(self, job: str | None, *, alone: bool) -> tuple[KeptInCode, ...]:
        """What code keeps that somebody pasted: of a text that names one job, of that job.

        A program of Streaming is run again as it is, in jobs with other settings; whether a job ran
        one is told by what its own end says.
        """
        return tuple(
            one
            for kept, jobs in self.code
            for one in kept
            if alone or job is None or jobs == {job} or (job in jobs and one.language == "python")
        )

    def _of_task(self, task: str, diagnostics: str) -> Iterator[Trace]:
        """Of a task that Hive names, the attempt of which it prints the diagnostics."""
        trace = trace_of_logs(
            Path(), (), attempt_id=None, container_id=None, host=None, diagnostics=diagnostics,
            state="FAILED",
        )  # fmt: skip
        if trace.failed:
            side = "reduce" if "_r_" in task else "map"
            yield replace(trace, task_type=side if trace.death.program is None else None)

    def _master_of(self, job: str | None) -> tuple[bool, str]:
        """What its application master says of its end, as the ResourceManager would.

        Its own log before what others say, where memory ended it; whether that is so.
        """
        kind, logged = self._logged_by_master(job)
        if kind in MEMORY_KINDS:
            return True, logged
        for container in sorted(self.reports.masters):
            said = self.reports.said_of(container)
            if said and job_of(container) == job and parse_container_end(said) is not None:
                return False, f"AM Container {container}: {said}"
        return False, logged

    def _logged_by_master(self, job: str | None) -> tuple[DeathKind, str]:
        for container, logs in self.masters.items():
            if job_of(container) != job:
                continue
            trace = trace_of_logs(
                Path(), logs, attempt_id=None, container_id=container, host=None,
                diagnostics=None, state=None,
            )  # fmt: skip
            if trace.failed:
                return trace.death.kind, f"AM Container {container}: {trace.death.evidence}"
        return "none", ""

    def _traces(self) -> Iterator[tuple[Trace, str | None]]:
        """Of every container and attempt that anything tells of; the job that its text names."""
        reports = self.reports
        reports.name_executors()
        recorded = (one for each in self.histories.values() for one in each.attempts().values())
        for kept in recorded:
            if kept.container_id is not None:
                reports.attempts.setdefault(kept.container_id, kept.id)
        for one in self.containers.values():
            if one.container_id is not None and one.attempt_id is not None:
                reports.attempts.setdefault(one.container_id, one.attempt_id)
        containers = {attempt: container for container, attempt in reports.attempts.items()}
        seen: set[str] = set()
        read = {trace.attempt_id for trace in self.traces}
        for one in list(self.containers.values()):
            container = one.container_id or containers.get(one.attempt_id or "")
            attempt = one.attempt_id or reports.attempts.get(container or "")
            seen |= {name for name in (container, attempt) if name is not None}
            if attempt is not None and attempt in read:
                continue  # its own folder, with events, tells the same and more
            trace = self._trace(one, container, attempt)
            yield trace, None if _is_of_no_job(trace) else one.job
        failed = [one for one, code in reports.exits.items() if code not in _ASKED_TO_END]
        for id_ in dict.fromkeys([*reports.texts, *reports.states, *failed]):
            is_attempt = id_.startswith("attempt")
            container = containers.get(id_) if is_attempt else id_
            attempt = id_ if is_attempt else reports.attempts.get(id_)
            if seen & {container, attempt} or attempt in read or container in reports.masters:
                continue
            seen |= {name for name in (container, attempt) if name is not None}
            trace = self._trace(_Container("", around=self.around.get(id_, "")), container, attempt)
            if trace.failed or trace.state == "SUCCEEDED" or attempt is not None:
                yield trace, only_job(self.around.get(id_, "")) if is_executor(id_) else None

    def _trace(self, one: _Container, container: str | None, attempt: str | None) -> Trace:
        reports = self.reports
        states = [reports.states.get(name) for name in (attempt, container) if name is not None]
        state = next((each for each in states if each not in {None, "STOPPED"}), None)
        said = reports.said_of(attempt, container)
        code = reports.exits.get(container or "")
        by_itself = state is None and code not in _ASKED_TO_END
        if code and (state == "FAILED" or by_itself) and not said:
            said = f"Container exited with a non-zero exit code {code}"
        # the kernel, whose log stands beside an exit code, asks for no end
        of_job = {None, job_of(container or attempt or "")}
        is_killed = any(shown.kills and job in of_job for shown, job in self.beside)
        told = said if is_killed else without_request(said, state)
        if not said:
            told = "\n".join(one.ends)
        trace = trace_of_logs(
            Path(one.place),
            sorted(one.logs, key=lambda log: log_order(log.file)),
            attempt_id=attempt,
            container_id=container,
            host=one.host or reports.hosts.get(container or ""),
            diagnostics=told or None,
            state=state,
            dump_files=one.dumps,
            around=one.around,
            in_task=one.in_task,
            wrote=one.wrote,
        )
        trace = of_side(trace, one.side)
        rest = (said for said in sorted(one.said) if rests_on(trace.death, said))
        words = one.only_said or next(rest, "")
        return replace(trace, death=replace(trace.death, said=words)) if words else trace


def _of_a_program(excerpt: Excerpt, log: Log) -> Iterator[tuple[LoggedError, str]]:
    """What ended tasks of Streaming by itself, each with the attempt that is named last above it.

    The program's own last words name it: the folder of an attempt stands in the paths of its files.
    """
    lines = [*excerpt.numbered()]
    for one in log.errors:
        if _OF_STREAMING.search(one.error.first_line) is None:
            continue
        above = (line for number, line in lines if one.line - _LOOKED_BACK <= number <= one.line)
        named = [each for line in above for each in ANY_ATTEMPT.findall(line)]
        if named:  # what closes the program throws it, and the task's main method reports it
            yield replace(one, how="Error running child : "), named[-1]


def _without_their_head(errors: Sequence[LoggedError], excerpt: Excerpt) -> Iterator[LoggedError]:
    """Errors that ended a task of a job that failed, and whose first lines are cut off.

    The command prints the stack of an attempt that failed, and no other; a text that begins or goes
    on with the cause of one has it from there.
    """
    lines = dict(excerpt.numbered())
    for each in errors:
        above = lines.get(each.line - 1, "")
        if lines.get(each.line, "").startswith("Caused by: ") and not _FRAME.match(above):
            yield replace(each, how=_ENDED_A_TASK)


def _is_of_another_process(log: Log) -> bool:
    """Whether all errors are of threads of a pool, with stacks down to their start and no task.

    Or of servers, by what logged them.
    """
    if log.errors and all(one.is_of_a_server for one in log.errors):
        return True
    return bool(log.errors) and all(
        out_of_memory_in(one.error) is None
        and one.error.stack[-1:] != ()
        and one.error.stack[-1].class_name == "java.lang.Thread"
        and not names_a_task("\n".join(frame.class_name for frame in one.error.stack))
        for one in log.errors
    )


def _of_its_last_months(log: Log, excerpt: Excerpt) -> Log:
    """Of a text that somebody wrote, whose author may quote an error of months before.

    An error of memory is left out for another one of memory, or for one that ended its process.
    """
    lines = dict(excerpt.numbered())
    dated: list[tuple[LoggedError, date | None]] = []
    for error in log.errors:
        above, own = (lines.get(at, "") for at in (error.line - 1, error.line))
        dated.append((error, _day_of(own) or _day_of(above)))
    ends = [
        day
        for error, day in dated
        if day and (error.is_uncaught or out_of_memory_in(error.error) is not None)
    ]
    last = max(ends, default=None)
    recent = (error for error, day in dated if day is None or last is None or last - day < _MONTHS)
    return replace(log, errors=tuple(recent))


def _day_of(line: str) -> date | None:
    found = _DAY.match(line)
    try:
        return date.fromisoformat(f"20{found[1].replace('/', '-')}") if found is not None else None
    except ValueError:
        return None  # 10/31/16: a month comes first


def _is_of_a_jvm(line: str) -> bool:
    """Whether it tells of a collection, or begins a thread dump or what is left of one."""
    return line.startswith(("Full thread dump", '"main" ')) or bool(parse_gc_log(line))


def _is_of_a_container(lines: Mapping[int, str], at: int) -> bool:
    """Whether a line stands in the end of a container's log that its NodeManager quotes."""
    above = (lines.get(number, "") for number in range(at - 1, max(at - LOOKED_AT, 0), -1))
    heading = next((one for one in above if _END_OF_LOG.match(one) or LOGGED.match(one)), "")
    return _END_OF_LOG.match(heading) is not None


def _is_of_no_job(trace: Trace) -> bool:
    """Whether it is of a server, or of a client, which may run several jobs."""
    program = trace.death.program
    return program is not None and (program.is_server or program.id in _OF_NO_JOB)


def _may_be_of_a_task(log: Log) -> bool:
    """Whether an error in it is of a main thread, or of code that a task runs."""
    return any(
        one.thread == "main"
        or names_a_task("\n".join(frame.class_name for frame in one.error.stack))
        for one in log.errors
    )


def _is_of_its_jvm(one: LoggedError, line: str) -> bool:
    """Whether a JVM that runs no task printed an OutOfMemoryError by itself, with no logger."""
    frames = "\n".join(frame.class_name for frame in one.error.stack)
    by_jvm = line.lstrip().startswith("Exception in thread")
    begins = by_jvm or (one.level != "WARN" and line.lstrip().startswith(one.error.class_name))
    return begins and out_of_memory_in(one.error) is not None and not names_a_task(frames)


_THE_ONLY_ONE: Final = (
    "the stack is given without the id of its attempt: it is that of the only one which died with "
    "this message"
)


def _with_the_only_id(traces: Sequence[Trace]) -> list[Trace]:
    """The traces, where a stack by itself is that of the only attempt with its message.

    A command prints the message of each attempt without a stack, and people paste the log of one.
    """
    found = [*traces]
    for stack in traces:
        if not stack.death.stack or stack.attempt_id is not None or stack.container_id is not None:
            continue
        same = [
            one
            for one in found
            if one.attempt_id is not None
            and (one.death.kind, one.death.message) == (stack.death.kind, stack.death.message)
            and one.task_type == (stack.task_type or one.task_type)
        ]
        if stack.failed and len(same) == 1 and not same[0].death.stack and not same[0].logs.files:
            at = found.index(same[0])
            found[at] = replace(
                stack,
                attempt_id=same[0].attempt_id,
                task_type=same[0].task_type,
                index=same[0].index,
                number=same[0].number,
                container_id=same[0].container_id,
                host=same[0].host,
                state=same[0].state,
                losses=(*stack.losses, _THE_ONLY_ONE),
            )
            found = [one for one in found if one is not stack]
    return found


_THE_ONLY_PAIR: Final = (
    "that the attempt ran in this container is concluded: each is the only one of the job which "
    "is told without the other, and both ended with the same exit code"
)


def _paired(traces: list[Trace], job: str | None) -> list[Trace]:
    """The traces, where one attempt without a container ended as one container without an attempt.

    The client names the attempt, and the NodeManager's log the container.
    """
    if job is None:
        return traces
    failed = [
        one
        for one in traces
        if one.failed and one.death.kind == "not-memory" and one.death.program is None
    ]
    attempts = [one for one in failed if one.attempt_id and not one.container_id]
    containers = [one for one in failed if one.container_id and not one.attempt_id]
    if len(attempts) != 1 or len(containers) != 1:
        return traces
    attempt, container = attempts[0], containers[0]
    codes = {one.death.container.exit_code if one.death.container else None for one in failed}
    if len(codes) != 1 or None in codes or is_executor(container.container_id):
        return traces
    one = replace(
        attempt,
        container_id=container.container_id,
        host=attempt.host or container.host,
        losses=(*attempt.losses, _THE_ONLY_PAIR),
    )
    return [one if each is attempt else each for each in traces if each is not container]


def _are_of(unnamed: Sequence[Trace], named: Sequence[Trace]) -> bool:
    """Whether logs that name nobody are of attempts of which no log is there, by how they died."""
    dead = {(one.death.kind, one.task_type) for one in named if not one.death.stack}
    return all(one.failed and (one.death.kind, one.task_type) in dead for one in unnamed)
