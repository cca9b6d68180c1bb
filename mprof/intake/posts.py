"""What somebody who wrote about a death states beside the logs: settings, code, other ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mprof.code_site import KeptInCode
from mprof.engines import shows_mapreduce, tells_of_hadoop_1
from mprof.intake.commands import by_paragraph, jobs_in
from mprof.intake.directions import directions_in
from mprof.intake.owners import only_job
from mprof.intake.pasted_code import kept_in_code
from mprof.intake.roles import NODE, RESOURCE, Role
from mprof.intake.runs import stated_by_job
from mprof.intake.sections import Section
from mprof.intake.sentences import is_of_somebody, names_memory
from mprof.intake.shown import COMMAND_LINE, of_a_jvm
from mprof.intake.stated import Row, Stated
from mprof.intake.statements import Statements
from mprof.intake.translated import in_english
from mprof.trace import BesideEnd, Trace, beside_end, with_beside

__all__ = ["Posts"]

# org.apache.oozie.action.hadoop.JavaActionExecutor
_LAUNCHER: Final = re.compile(r"\boozie:launcher:[A-Z]=[\w=:.-]{1,200}")


def _launchers_in(lines: Sequence[tuple[int, str]]) -> Mapping[str, str]:
    """Names of launchers of Oozie, by the one job that the same line names."""
    found: dict[str, str] = {}
    for number, line in lines:
        launcher = _LAUNCHER.search(line) if "oozie:launcher:" in line else None
        jobs = [*jobs_in([(number, line)])] if launcher is not None else []
        if launcher is not None and len(jobs) == 1:
            found[jobs[0]] = launcher[0]
    return found


def _but_for(stated: Sequence[Stated], helped: Sequence[Stated]) -> Iterator[Stated]:
    """What a text states without what it says to have helped: it had not died with that."""
    passed = {(one.name, one.value) for one in helped}
    yield from (one for one in stated if one.why_not or (one.name, one.value) not in passed)


@dataclass(slots=True)
class Posts:
    """What texts that somebody wrote state.

    Attributes:
        settings: by the jobs that they name.
        names_memory: whether one of them names a lack of memory anywhere.
        of_mapreduce: whether one of them shows MapReduce by what no other engine has.
    """

    settings: Statements = field(default_factory=Statements)
    names_memory: bool = False
    of_mapreduce: bool = False
    _of_hadoop_1: list[bool] = field(default_factory=list)
    _code: list[tuple[tuple[KeptInCode, ...], frozenset[str]]] = field(default_factory=list)
    _launchers: dict[str, str] = field(default_factory=dict)
    _beside: list[tuple[BesideEnd, str | None]] = field(default_factory=list)
    _beside_of: list[tuple[BesideEnd, str]] = field(default_factory=list)

    def add_stated(
        self,
        section: Section,
        role: Role,
        confirmations: Sequence[Stated] = (),
        *,
        of_several: bool = False,
    ) -> None:
        """The settings that a text states and the code in it, for the jobs that it names.

        A log names those of other processes, too: a server's has some of a job only where somebody
        speaks beside it.

        Args:
            section: of the one who tells of an end.
            role: who wrote it.
            confirmations: what others advised that went through; of several jobs it is of none.
            of_several: whether several people speak in the text.
        """
        own = section.excerpt
        text = "\n".join(own.all_lines())
        self.names_memory = self.names_memory or names_memory(text)
        self.of_mapreduce = self.of_mapreduce or shows_mapreduce(text)
        self._of_hadoop_1.append(tells_of_hadoop_1(text))
        lines = [(section.before + own.of_file(number), line) for number, line in own.numbered()]
        self._launchers |= _launchers_in(lines)
        kept = kept_in_code(lines)
        if kept:
            self._code.append((kept, frozenset(jobs_in(lines))))
        if role in {NODE, RESOURCE} and not is_of_somebody(line for _, line in lines):
            return
        english = [*in_english(lines)]
        self.settings.add_directions(directions_in(english), frozenset(jobs_in(lines)))
        by_job = [*stated_by_job(english)]
        for jobs, stated in by_job:
            is_only = len(by_job) == 1
            told = (*_but_for(stated, confirmations), *confirmations) if is_only else stated
            if told:
                self.settings.add(section.name, told, jobs, of_several=of_several)

    def add_launch(self, section: Section) -> None:
        """The heap of a task by the script that started it, of which its job has the same."""
        for number, line in section.excerpt.numbered():
            shown = COMMAND_LINE.search(line)
            if shown is not None and shown["side"]:
                row = Row(section.before + section.excerpt.of_file(number), line, "")
                jobs = frozenset(jobs_in([(number, line)]))
                self.settings.add(section.name, of_a_jvm(shown, row), jobs)

    @property
    def of_hadoop_1(self) -> bool:
        """Whether all of them tell of Hadoop 1, and of nothing of YARN."""
        return bool(self._of_hadoop_1) and all(self._of_hadoop_1)

    def add_beside(self, section: Section) -> None:
        """What somebody pasted beside an end: the kernel's log, the last words of a program."""
        shown = beside_end([line for _, line in section.excerpt.numbered()])
        if not shown:
            return
        text = "\n".join(section.excerpt.all_lines())
        self._beside.append((shown, only_job(text)))
        self._beside_of += (
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

    def name_of(self, job: str | None) -> str:
        """The name of a launcher of Oozie that a line gives with its id; "" of any other job."""
        return self._launchers.get(job or "", "")

    def has_kills(self, job: str | None) -> bool:
        """Whether one shows the kernel's kills beside an end that may be of a job."""
        return any(shown.kills and of in {None, job} for shown, of in self._beside)

    def beside(self, job: str | None, traces: list[Trace], *, alone: bool) -> list[Trace]:
        """The traces of a job with what stands beside its end.

        Args:
            job: its id; None of what names none.
            traces: of its attempts.
            alone: whether it is the only one, so that texts without an id are of it.
        """
        for shown, of in self._beside:
            if of == job or (of is None and alone):
                traces = [with_beside(one, shown) for one in traces]
        for shown, of in self._beside_of:
            if of == job and not alone:
                traces = [with_beside(one, shown) for one in traces]
        return traces

    def code_of(self, job: str | None, *, alone: bool) -> tuple[KeptInCode, ...]:
        """What code keeps that somebody pasted: of a text that names one job, of that job.

        A program of Streaming is run again as it is, in jobs with other settings; whether a job ran
        one is told by what its own end says.
        """
        return tuple(
            one
            for kept, jobs in self._code
            for one in kept
            if alone or job is None or jobs == {job} or (job in jobs and one.language == "python")
        )
