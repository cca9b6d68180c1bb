"""Everything that the contents tell, as it is read and before it is joined."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mprof.history import JobConf, JobHistory
from mprof.intake.account import Account
from mprof.intake.containers import Container
from mprof.intake.masters import Masters
from mprof.intake.posts import Posts
from mprof.intake.remarks import Remarks
from mprof.intake.reported import Reports
from mprof.trace import Trace

__all__ = ["Gathered"]


@dataclass(slots=True)
class Gathered:
    """What was read, in any order.

    Attributes:
        account: what each content was taken for.
        containers: what logs say, by the id of a container or an attempt, else by place or name.
        masters: the same of application masters.
        reports: what Hadoop's own processes say of others.
        around: of what reports name in somebody's text, what else stands there.
        posts: what somebody states.
        remarks: what is known of words.
        notes: what else the reader should know, one sentence each.
        histories: by job.
        confs: by job; None of one that names none.
        traces: of folders with events of mprof.
        dumps: heap dumps, each with the place where it lies.
        captures: folders that mprof wrote.
    """

    account: Account = field(default_factory=Account)
    containers: dict[str, Container] = field(default_factory=dict)
    masters: Masters = field(default_factory=Masters)
    reports: Reports = field(default_factory=Reports)
    around: dict[str, str] = field(default_factory=dict)
    posts: Posts = field(default_factory=Posts)
    remarks: Remarks = field(default_factory=Remarks)
    notes: list[str] = field(default_factory=list)
    histories: dict[str, JobHistory] = field(default_factory=dict)
    confs: dict[str | None, JobConf] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    dumps: list[tuple[Path, str]] = field(default_factory=list)
    captures: list[Path] = field(default_factory=list)
