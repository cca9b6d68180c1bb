"""What a case is: its folder, its ``case.toml``, and the checks that catch a bad one early.

A case is a folder: ``case.toml``, ``README.md``, ``job/`` (Java), ``data.py`` (its input),
``fixed/`` (the Java files and settings that the repair changes), ``evidence/`` (a recorded run)
and ``expected/`` (the verdict of every rule on it).
Cases of the paper lie in ``cases/``, those that cover what none of them does in
``cases/coverage/``, and controls, of which no cause may be named, in ``cases/controls/``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from mprof.errors import UsageError
from mprof.rules import RULES
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
    "find_case",
    "load_case",
    "load_cases",
    "setting_words",
]

Phase = Literal["map", "shuffle", "reduce"]
Kind = Literal["case", "coverage", "control"]
Setting = str | int | float | bool

CASE_FILE = "case.toml"
_FOLDERS: dict[Kind, str] = {"case": "", "coverage": "coverage/", "control": "controls/"}


class JobSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the job is started.

    Attributes:
        main: class with the main method.
        settings: given as ``-D`` options.
        arguments: before the input and output folders.
        keys: whether keys are recorded, as with ``mprof run --keys``.
    """

    main: str
    settings: dict[str, Setting] = {}
    arguments: tuple[str, ...] = ()
    keys: bool = False


class FixedSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the repair changes besides the Java files in ``fixed/``; settings win over the job's."""

    settings: dict[str, Setting] = {}


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The generated input: the seed of the recorded run, and about how many bytes."""

    seed: int
    bytes: int


class Scale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same failure in another size; settings win over the job's.

    Attributes:
        bytes: about how many the generated input has.
        settings: heap, buffers, splits, reducers of that size.
    """

    bytes: int
    settings: dict[str, Setting] = {}


class ExpectedHolder(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"class_name": "class"}
):
    """What the first cause must blame; ``path`` has to occur in the holder path."""

    class_name: str
    method: str
    path: str


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has to come out of a run.

    Attributes:
        causes: ids of all causes, no others.
        kind: of the death.
        phase: in which it dies; None where it does not, or where that is not told.
        frames: frames of the stack at death (``class.method``), top first, others in between.
        holder: None where no user code holds memory.
    """

    causes: tuple[str, ...]
    kind: DeathKind
    phase: str | None = None
    frames: tuple[str, ...] = ()
    holder: ExpectedHolder | None = None


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The paper's verdict (Table 8), and why ours differs where it does."""

    job: str
    rules: tuple[str, ...]
    causes: tuple[str, ...]
    difference: str | None = None


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reproducible failure.

    Attributes:
        folder: where it lies.
        slug: its name, that of the folder.
        number: its row in the paper's Table 8; 100 and more for cases the paper does not have.
        title: what the job does, in a few words.
        symptom: what its owner sees.
        phase: the phase of the paper's Table 8 it belongs to.
        library: what the user code is written with, ``none`` for plain MapReduce.
        variant: ``plain`` or ``library``.
        kind: a ``case`` of the paper; ``coverage`` of what none of those exercises; or a
            ``control``, healthy or failing for another reason, of which no cause may be named.
        scale: other sizes it can be run in, by name; what is expected stays the same.
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
    def place(self) -> str:
        """Its folder as seen from the folder of all cases."""
        return f"{_FOLDERS[self.kind]}{self.slug}"

    @property
    def fails(self) -> bool:
        """Whether its job has to fail."""
        return self.expected.kind != "none"

    @property
    def is_profiled(self) -> bool:
        """Whether it dies of memory: then a rerun with profiling has something to add."""
        return self.expected.kind in MEMORY_KINDS

    @property
    def evidence(self) -> Path:
        """The recorded capture, there or not."""
        return self.folder / "evidence"

    @property
    def verdicts(self) -> Path:
        """The expected verdict of every rule on the recorded capture."""
        return self.folder / "expected" / "verdicts.json"


def load_case(folder: Path) -> Case:
    """Read and check one case.

    Raises:
        UsageError: one line that names the file and what is wrong in it.
    """
    file = folder / CASE_FILE
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        case = msgspec.convert({**content, "folder": folder}, type=Case)
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}",
            next_step="name a case with mprof cases list",
        ) from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not a valid case: {error}", next_step="correct it") from error
    for problem in _problems(case):
        raise UsageError(f"{file} is not a valid case: {problem}", next_step="correct it")
    return case


def load_cases(root: Path) -> tuple[Case, ...]:
    """All cases of a folder, in the order of their numbers.

    Raises:
        UsageError: if there is no case, or a bad one.
    """
    folders = [
        file.parent for place in _FOLDERS.values() for file in root.glob(f"{place}*/{CASE_FILE}")
    ]
    if not folders:
        raise UsageError(
            f"{root} holds no case (no folder with a {CASE_FILE})",
            next_step="give the folder with --cases",
        )
    cases = tuple(sorted(map(load_case, folders), key=lambda case: (case.number, case.slug)))
    for case in cases:
        if case.folder != root / case.place:
            raise UsageError(
                f"{case.folder / CASE_FILE} is of the kind {case.kind}",
                next_step=f"move its folder to {root / case.place}",
            )
    return cases


def find_case(root: Path, slug: str) -> Case:
    """The case of that name.

    Raises:
        UsageError: if there is none, with the names there are.
    """
    cases = {case.slug: case for case in load_cases(root)}
    if slug not in cases:
        raise UsageError(
            f"there is no case {slug!r}", next_step=f"take one of: {', '.join(sorted(cases))}"
        )
    return cases[slug]


def setting_words(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """The settings as ``-D`` options of a command.

    >>> setting_words({"mapreduce.job.reduces": 3})
    ('-D', 'mapreduce.job.reduces=3')
    """
    words: list[str] = []
    for key, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words += ["-D", f"{key}={text}"]
    return tuple(words)


def _problems(case: Case) -> list[str]:
    known = {rule.cause for rule in RULES}
    problems = []
    if case.slug != case.folder.name:
        problems.append(f"slug is {case.slug!r}, its folder {case.folder.name!r}")
    told = (*case.expected.causes, *(case.paper.causes if case.paper else ()))
    problems += [f"no rule names the cause {cause!r}" for cause in told if cause not in known]
    if (case.kind == "control") != (not case.expected.causes):
        problems.append("a control, and no other case, expects no causes")
    if case.input.bytes <= 0:
        problems.append("input.bytes has to be positive")
    problems += [
        f"scale.{name}.bytes has to be positive"
        for name, scale in case.scale.items()
        if scale.bytes <= 0
    ]
    for name in ("job", "data.py"):
        if not (case.folder / name).exists():
            problems.append(f"{name} is missing")
    return problems
