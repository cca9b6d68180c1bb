"""What a case is: its folder, its ``case.toml``, and the checks that catch mistakes in them.

A case is a folder: ``case.toml``, ``README.md``, ``job/`` (Java, or what the library's command is
given; some need nothing), ``data.py`` (its input), ``fixed/`` (the files that the repair changes),
``evidence/`` (a recorded capture) and ``expected/`` (the expected verdict of every rule on it).
Cases of the paper are in ``cases/``, cases that cover what none of those does in
``cases/coverage/``, and controls, for which no cause may be named, in ``cases/controls/``.
A case of the paper that is written with its library may have the same failure in plain MapReduce
beside it: a case of its own, in the folder ``plain/`` of the other one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from mprof.errors import UsageError
from mprof.io.files import UnreadableError, read_file
from mprof.trace import MEMORY_KINDS, DeathKind

__all__ = [
    "Case",
    "Expected",
    "ExpectedHolder",
    "Input",
    "JobSpec",
    "Kind",
    "Paper",
    "Phase",
    "Scale",
    "Setting",
    "check_causes",
    "find_case",
    "load_case",
    "load_cases",
    "setting_options",
    "setting_texts",
]

Phase = Literal["map", "shuffle", "reduce"]
Kind = Literal["case", "coverage", "control"]
Setting = str | int | float | bool

CASE_FILE = "case.toml"
_MAX_CASE_BYTES = 1 << 20
_FOLDERS: dict[Kind, str] = {"case": "", "coverage": "coverage/", "control": "controls/"}
_PLAIN = "plain"


class JobSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the job is started.

    Attributes:
        main: class with the main method; empty where a command of the library is run.
        command: a command of its library and its arguments. What holds ``{setting}`` is repeated
            for each setting (``-D{setting}``, ``--hiveconf {setting}``); ``{job}``, ``{input}`` and
            ``{output}`` are folders.
        settings: passed as ``-D`` options, or as the command says.
        arguments: arguments before the input and output folders; none of a command.
        keys: whether keys are stored, as with ``mprof run --keys``.
    """

    main: str = ""
    command: tuple[str, ...] = ()
    settings: dict[str, Setting] = {}
    arguments: tuple[str, ...] = ()
    keys: bool = False


class FixedSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the repair changes besides the job's files.

    Attributes:
        settings: they override the job's.
        command: instead of the job's; empty where it stays.
    """

    settings: dict[str, Setting] = {}
    command: tuple[str, ...] = ()


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The generated input: the seed of the recorded run, and the approximate size in bytes."""

    seed: int
    bytes: int


class Scale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same failure at another scale; its settings override the job's.

    Attributes:
        bytes: approximate size of the generated input.
        settings: heap, buffers, splits and reducers at that scale.
    """

    bytes: int
    settings: dict[str, Setting] = {}


class ExpectedHolder(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"class_name": "class"}
):
    """The code that the first cause must blame; without a cause, that holds most of the heap.

    Attributes:
        class_name: its class; or that of the job's step that called it, of a library's code. A
            package, with a full stop at its end, where any of its classes at work may be blamed.
        method: its method; None where no stack names one.
        path: must occur in the holder path.
        statement: the statement of a script or query, as reports print it; None of plain Java.
    """

    class_name: str
    path: str
    method: str | None = None
    statement: str | None = None

    def is_class(self, name: str) -> bool:
        """Whether a class is the one that must be blamed."""
        wanted = self.class_name
        return name.startswith(wanted) if wanted.endswith(".") else name == wanted


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expected diagnosis.

    Attributes:
        causes: ids of all causes; no others may be named. None where the heap is full of what none
            of them describes: then the holder that fills it must come first.
        kind: kind of death.
        phase: phase at death; None where the task does not die or the phase is not known.
        frames: frames of the stack at death (``class.method``), top first; other frames may be
            in between.
        holder: None where no user code holds memory.
    """

    causes: tuple[str, ...]
    kind: DeathKind
    phase: str | None = None
    frames: tuple[str, ...] = ()
    holder: ExpectedHolder | None = None


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The paper's verdict (Table 8), and why mprof's differs, if it does.

    Attributes:
        job: its name there.
        rules: those that fired.
        causes: those that it names.
        difference: between its verdict and the expected one, and why.
        code_unknown: whether it could not say which part of the user's code was to blame.
    """

    job: str
    rules: tuple[str, ...]
    causes: tuple[str, ...]
    difference: str | None = None
    code_unknown: bool = False


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reproducible failure.

    Attributes:
        slug: its name: its folder's; of a plain variant that of the other case and ``-plain``.
        number: its row in the paper's Table 8; 100 or more for cases that are not in the paper.
        symptom: what the owner of the job sees.
        library: library that the user code is written with; ``none`` for plain MapReduce.
        variant: ``plain`` or ``library``.
        kind: a ``case`` of the paper; ``coverage`` of what no such case exercises; or a
            ``control``, which is healthy or fails for another reason: no cause may be named.
        scale: other scales it can be run at, by name; the expected diagnosis is the same.
    """

    folder: Path
    slug: str
    number: int
    title: str
    symptom: str
    phase: Phase
    library: str
    variant: Literal["plain", "library"]
    job: JobSpec
    input: Input
    expected: Expected
    paper: Paper | None = None
    fixed: FixedSpec = FixedSpec()
    kind: Kind = "case"
    scale: dict[str, Scale] = {}

    @property
    def root(self) -> Path:
        """The folder of all cases."""
        return self.folder.parents[self.relative_path.count("/")]

    @property
    def relative_path(self) -> str:
        """Its folder, relative to the folder of all cases."""
        name = f"{self.folder.parent.name}/{_PLAIN}" if self.is_plain_variant else self.slug
        return f"{_FOLDERS[self.kind]}{name}"

    @property
    def is_plain_variant(self) -> bool:
        """Whether it is the plain variant beside a case that is written with its library."""
        return self.folder.name == _PLAIN

    @property
    def fails(self) -> bool:
        """Whether its job must fail."""
        return self.expected.kind != "none"

    @property
    def is_profiled(self) -> bool:
        """Whether it runs out of memory, so that a rerun with profiling can add evidence."""
        return self.expected.kind in MEMORY_KINDS

    @property
    def evidence(self) -> Path:
        """Folder of the recorded capture; it may not exist."""
        return self.folder / "evidence"

    @property
    def packed_evidence(self) -> Path:
        """The same as one file, as a wheel has it (`hatch_build.py`); it may not exist."""
        return self.folder / "evidence.tar.xz"

    @property
    def is_recorded(self) -> bool:
        """Whether there is a recorded capture."""
        return self.evidence.is_dir() or self.packed_evidence.is_file()

    @property
    def verdicts(self) -> Path:
        """File with the expected verdict of every rule on the recorded capture."""
        return self.folder / "expected" / "verdicts.json"


def load_case(folder: Path) -> Case:
    """Read and check one case.

    Raises:
        UsageError: if it is not valid; the message names the file and the mistake.
    """
    file = folder / CASE_FILE
    try:
        text = read_file(file, limit_bytes=_MAX_CASE_BYTES).decode("utf-8")
        content = tomllib.loads(text)
        case = msgspec.convert({**content, "folder": folder}, type=Case)
    except UnreadableError as error:
        raise UsageError(error.what, next_step="list the cases with: mprof cases list") from error
    except (
        ValueError,
        RecursionError,
        msgspec.ValidationError,
    ) as error:  # also TOML's and UTF-8's
        raise UsageError(f"{file} is not a valid case: {error}", next_step="correct it") from error
    for problem in _problems(case):
        raise UsageError(f"{file} is not a valid case: {problem}", next_step="correct it")
    return case


def check_causes(case: Case) -> None:
    """Refuse a case that names a cause of no rule.

    Apart from `load_case`, because the rules take longer to load than all cases: what only lists
    cases does without.

    Raises:
        UsageError: if it does; the message names the file and the cause.
    """
    from mprof.rules import RULES

    known = {rule.cause for rule in RULES}
    for cause in (*case.expected.causes, *(case.paper.causes if case.paper else ())):
        if cause not in known:
            raise UsageError(
                f"{case.folder / CASE_FILE} is not a valid case: no rule names the cause {cause!r}",
                next_step="correct it",
            )


def load_cases(root: Path) -> tuple[Case, ...]:
    """All cases of a folder, ordered by number.

    Raises:
        UsageError: if there is no case, or an invalid one.
    """
    folders = [
        file.parent
        for folder in _FOLDERS.values()
        for pattern in (f"{folder}*/{CASE_FILE}", f"{folder}*/{_PLAIN}/{CASE_FILE}")
        for file in root.glob(pattern)
    ]
    if not folders:
        raise UsageError(
            f"{root} holds no case (no folder with a {CASE_FILE})",
            next_step="name the folder of cases with --cases",
        )
    cases = tuple(sorted(map(load_case, folders), key=lambda case: (case.number, case.slug)))
    for case in cases:
        if case.folder != root / case.relative_path:
            raise UsageError(
                f"{case.folder / CASE_FILE} has kind {case.kind}, but is in another folder",
                next_step=f"move its folder to {root / case.relative_path}",
            )
    return cases


def find_case(root: Path, slug: str) -> Case:
    """The case with that name.

    Raises:
        UsageError: if there is none; the next step lists the names.
    """
    cases = {case.slug: case for case in load_cases(root)}
    if slug not in cases:
        raise UsageError(
            f"there is no case {slug!r}", next_step=f"use one of: {', '.join(sorted(cases))}"
        )
    return cases[slug]


def setting_options(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """The settings as ``-D`` options of a command.

    >>> setting_options({"mapreduce.job.reduces": 3})
    ('-D', 'mapreduce.job.reduces=3')
    """
    return tuple(word for text in setting_texts(settings) for word in ("-D", text))


def setting_texts(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """The settings as Hadoop reads them.

    >>> setting_texts({"mapreduce.map.speculative": False})
    ('mapreduce.map.speculative=false',)
    """
    return tuple(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in settings.items()
    )


def _problems(case: Case) -> list[str]:
    problems = []
    folder = case.folder.name
    if case.is_plain_variant:
        folder = f"{case.folder.parent.name}-{_PLAIN}"
        if case.library != "none":
            problems.append(f"a variant in the folder {_PLAIN} takes no library")
    if case.slug != folder:
        problems.append(f"its slug is {case.slug!r}, its folder {folder!r}")
    if case.kind == "control" and case.expected.causes:
        problems.append("a control must expect no cause")
    if case.kind != "control" and not (case.expected.causes or case.expected.holder):
        problems.append("it must expect a cause, or the holder that fills the heap")
    if bool(case.job.main) == bool(case.job.command):
        problems.append("job needs either main or command")
    if case.job.command and (case.library == "none" or case.job.arguments):
        problems.append("job.command needs a library, and takes no arguments")
    if case.fixed.command and not case.job.command:
        problems.append("fixed.command needs a job.command")
    if case.input.bytes <= 0:
        problems.append("input.bytes must be positive")
    problems += [
        f"scale.{name}.bytes must be positive"
        for name, scale in case.scale.items()
        if scale.bytes <= 0
    ]
    needs_files = case.job.main or any("{job}" in word for word in case.job.command)
    for name in ("job", "data.py") if needs_files else ("data.py",):
        if not (case.folder / name).exists():
            problems.append(f"{name} is missing")
    return problems
