"""Whose class is it? Told from the class's name, and from what the job names as its own.

Three kinds are decisive: an object of a *user* class is the user's wherever it stands, one of a
*framework* class the framework's, one of the *agent* nobody's. *Neutral* classes (the JDK, the
engine's data types, collection libraries) belong to whoever holds them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mprof.engines.engine import Engine
from mprof.engines.libraries import AGENT, JDK, LIBRARIES
from mprof.engines.vocabulary import ClassKind

__all__ = ["UserClasses", "element_class", "is_jdk_class", "outer_class", "stable_name"]

_PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
_HIDDEN_CLASS = re.compile(
    r"(\$\$Lambda|\$\$FastClass|\$Proxy|\$\$EnhancerBy)[^.]*$|[/+]0x[0-9a-f]+$"
)


def outer_class(class_name: str) -> str:
    """The top-level class around a nested, anonymous or lambda class, without array brackets."""
    name = element_class(class_name)
    cut = name.find("$", 1)
    return name[:cut] if cut > 0 else name


def element_class(class_name: str) -> str:
    """``com.x.A`` for ``com.x.A[][]``."""
    cut = class_name.find("[")
    return class_name[:cut] if cut >= 0 else class_name


def stable_name(class_name: str) -> str:
    """The class's name without what a virtual machine makes up afresh in every run."""
    return _HIDDEN_CLASS.sub(lambda found: found.group(1) or "", class_name)


def is_jdk_class(class_name: str) -> bool:
    """Whether the class is the JDK's own."""
    return class_name.startswith(JDK)


@dataclass(frozen=True, slots=True)
class UserClasses:
    """Tells the user's classes from all others in one job of an engine.

    Attributes:
        engine: that runs the job.
        task_classes: mapper, reducer, combiner and the like, as the job's configuration names
            them or as the dump shows them at work. They and their nested classes are the user's
            wherever they live, such as a reducer that comes with the engine or with a library.
        with_libraries: whether all code but the JDK's counts as the user's: of a program that is
            itself a library or an engine.
    """

    engine: Engine
    task_classes: frozenset[str] = frozenset()
    with_libraries: bool = False
    _known: dict[str, ClassKind] = field(default_factory=dict, repr=False, compare=False)

    def with_tasks(self, names: frozenset[str]) -> UserClasses:
        """The same with more task classes."""
        return UserClasses(self.engine, self.task_classes | names, self.with_libraries)

    def kind(self, class_name: str) -> ClassKind:
        """The kind of a class given in Java source form; arrays are neutral."""
        found = self._known.get(class_name)
        if found is None:
            found = self._known[class_name] = self._find(class_name)
        return found

    def is_user(self, class_name: str) -> bool:
        """Whether it is the user's."""
        return self.kind(class_name) == "user"

    def _find(self, name: str) -> ClassKind:
        if "[" in name or name in _PRIMITIVES:
            return "neutral"
        if name.startswith(AGENT):
            return "agent"
        if name.startswith(JDK):
            return "neutral"
        if self.with_libraries:
            return "user"
        if not name.startswith(self.engine.carriers):
            outer = outer_class(name)
            if any(outer == outer_class(task) for task in self.task_classes):
                return "user"
        if name.startswith(self.engine.neutral):
            return "neutral"
        if name.startswith(self.engine.framework):
            return "framework"
        if name.startswith(LIBRARIES):
            return "neutral"
        return "user"
