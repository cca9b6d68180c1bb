"""What each content was taken for, and what could not be used of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mprof.findings import Found, Unused

__all__ = ["Account"]

_SAYS_NOTHING: Final = "a text in which no end of a task or a process was recognised"


@dataclass(slots=True)
class Account:
    """Of all contents.

    Attributes:
        names: of each kind the names of contents, with how many logs were in each.
        unused: what could not be used, and why.
        empty: what holds nothing by its nature, which is told where nothing else was found.
    """

    names: dict[str, dict[str, int]] = field(default_factory=dict)
    unused: list[Unused] = field(default_factory=list)
    empty: list[Unused] = field(default_factory=list)

    def count(self, kind: str, name: str) -> None:
        """One more content of a kind."""
        names = self.names.setdefault(kind, {})
        names[name] = names.get(name, 0) + 1

    def lose(self, name: str, why: str = _SAYS_NOTHING) -> None:
        """Something could not be used."""
        self.unused.append(Unused(name, why))

    def is_unused(self) -> bool:
        """Whether no content was told of yet."""
        return not (self.names or self.unused or self.empty)

    def found(self) -> tuple[Found, ...]:
        """What the contents are, by kind."""
        return tuple(
            Found(kind, sum(names.values()), next(iter(names)), len(names))
            for kind, names in self.names.items()
        )

    def not_used(self) -> tuple[Unused, ...]:
        """Contents of which nothing was used: another part of the same file may have been."""
        used = {name for names in self.names.values() for name in names}
        lost = [one for one in self.unused if one.name not in used or one.why != _SAYS_NOTHING]
        return (*lost, *(() if self.names else self.empty))
