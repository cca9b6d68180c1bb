"""Application masters: their logs, texts about them, and what they say of their own end."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mprof.intake.containers import Container, ended_by, logged_as_an_end
from mprof.intake.owners import application_in, label, only_job
from mprof.intake.reported import Reports, is_first, job_of
from mprof.intake.sections import Section
from mprof.intake.told_ends import MOST_SAID, without_reports
from mprof.trace import (
    MEMORY_KINDS,
    DeathKind,
    Log,
    parse_container_end,
    read_log,
    trace_of_logs,
)

__all__ = ["Masters"]


@dataclass(slots=True)
class Masters:
    """What is read of application masters.

    Attributes:
        logs: by the container, the application or the name of the log.
        places: the keys of those whose logs stand at a place.
        words: of texts about that of a job: they may show the engine that it led.
    """

    logs: dict[str, list[Log]] = field(default_factory=dict)
    places: dict[str, set[str]] = field(default_factory=dict)
    words: dict[str | None, str] = field(default_factory=dict)

    def add_log(self, section: Section, container: str | None) -> None:
        """Its own log, without what it quotes of its tasks."""
        master = container or application_in(section.excerpt) or section.name
        own = read_log(label(section), without_reports(section.excerpt))
        self.logs.setdefault(master, []).append(own)
        self.places.setdefault(section.place, set()).add(master)
        self.words[job_of(master)] = "MRAppMaster"  # by its classes

    def add_words(self, section: Section, reports: Reports) -> None:
        """Keep a text that tells of an application master: it may show the engine that it led.

        Somebody's own words count as well: YARN's are the same for every engine.
        """
        text = "\n".join(section.excerpt.all_lines())[:MOST_SAID]
        firsts = {one for one in (*reports.texts, *reports.exits) if is_first(one)}
        jobs = {*map(job_of, (*firsts, *reports.masters)), *reports.job_texts}
        job = only_job(text)  # of several applications, it would not say which
        if job in jobs:
            self.words[job] = f"{self.words.get(job, '')}{text}\n"[:MOST_SAID]

    def add_quoted(self, reports: Reports, log: Log) -> bool:
        """What ended the only application master of a text, whose end says no more than its code.

        Nothing else in the text ended: an error that no process caught is then its own.

        Returns:
            Whether there is one.
        """
        masters = [job for job, said in reports.job_texts.items() if "AM Container" in said]
        own = tuple(one for one in log.errors if one.is_uncaught and logged_as_an_end(one))
        others = [one for one in reports.texts if job_of(one) != masters[0]] if masters else []
        others += [one for one in reports.texts if not is_first(one)]
        if len(masters) != 1 or others or not own:
            return False
        name = masters[0].replace("job_", "application_", 1)
        self.logs.setdefault(name, []).append(ended_by(log, own))
        return True

    def find_among(self, containers: dict[str, Container], reports: Reports) -> None:
        """The first container of an application's attempt is its master's, whoever wrote that.

        ``RMAppAttemptImpl``: nothing else is asked for before it runs.
        """
        for key, one in [*containers.items()]:
            if one.container_id in self.logs:  # of which another log says what it is
                self.logs[one.container_id] += one.logs
                reports.masters.add(one.container_id)
                del containers[key]
        named = {*reports.texts, *reports.states, *reports.exits} - {*containers}
        reports.masters |= {one for one in named if is_first(one) and one not in reports.attempts}

    def end_of(self, job: str | None, reports: Reports) -> tuple[bool, str]:
        """What that of a job says of its end, as the ResourceManager would.

        Its own log before what others say, where memory ended it; whether that is so.
        """
        kind, logged = self._logged(job)
        if kind in MEMORY_KINDS:
            return True, logged
        for container in sorted(reports.masters):
            said = reports.said_of(container)
            if said and job_of(container) == job and parse_container_end(said) is not None:
                return False, f"AM Container {container}: {said}"
        return False, logged

    def _logged(self, job: str | None) -> tuple[DeathKind, str]:
        for container, logs in self.logs.items():
            if job_of(container) != job:
                continue
            trace = trace_of_logs(
                Path(), logs, attempt_id=None, container_id=container, host=None,
                diagnostics=None, state=None,
            )  # fmt: skip
            if trace.failed:
                return trace.death.kind, f"AM Container {container}: {trace.death.evidence}"
        return "none", ""
