"""Settings that somebody wrote down beside a log, where no file of Hadoop confirms them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["StatedSettings"]


@dataclass(frozen=True, slots=True)
class StatedSettings:
    """What texts state of the settings of one job, by property.

    Messages read them, and no pattern or rule does. Of `doubted` no value is used, none may be
    called unknown, and what was tried in vain is not advised.

    Attributes:
        in_force: those with which it died, secrets masked.
        doubted: values of which none is sure to have been in force, as texts give them.
        not_read: why Hadoop itself did not take values of a command, a sentence each.
        driver_ignores_options: whether Hadoop warned that the driver does not parse the options of
            its command line.
        died_with: values with which it died in another run as well.
        passed_with: values with which it went through.
        was: what settings had before they were changed to what was in force, "" of one not set.
        elsewhere: those of the doubted values with which nobody is told to have run here: of
            others, of long ago, or only wanted.
        proposed: those of them that the text gives as a remedy.
        called: the old name by which alone a text calls a property.
        to_raise: what the text asks to make larger without a value.
        to_lower: what it asks to make smaller so.
    """

    in_force: Mapping[str, str] = field(default_factory=dict)
    doubted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_read: tuple[str, ...] = ()
    driver_ignores_options: bool = False
    died_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    passed_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    was: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proposed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)
    to_raise: tuple[str, ...] = ()
    to_lower: tuple[str, ...] = ()
