"""A run with the advised settings, or with room, and what came of it: values, no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Advised",
    "AdvisedSetting",
    "CauseTried",
    "Intervention",
    "Kind",
    "Outcome",
    "SettingTried",
    "TriedVerdict",
]

Kind = Literal["settings", "room", "left out"]
Outcome = Literal["finished", "finished late", "died", "failed", "not reached"]
TriedVerdict = Literal["proven", "withdrawn", "not decided"]


@dataclass(frozen=True, slots=True)
class AdvisedSetting:
    """A property that a run was given on advice.

    Attributes:
        cause: that it removes.
        property: its name.
        value: its value.
        predicted_peak_bytes: live bytes at the peak with it, None where no model says.
        why_not: why the run was not given it: it cannot be set from outside the job; else empty.
    """

    cause: str
    property: str
    value: str
    predicted_peak_bytes: int | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Intervention:
    """What a run changed of the job.

    Attributes:
        kind: ``settings``, all that were advised; where what has to change is code or data,
            ``left out``, the record or group that it is about is kept from user code, or ``room``,
            a larger heap.
        settings: what was to be set.
        record: ordinal of the record left out, in map().
        group: digest of the key of the group left out.
        causes: those it is to decide, where they are not those of its settings.
    """

    kind: Kind
    settings: tuple[AdvisedSetting, ...]
    record: int | None = None
    group: str | None = None
    causes: tuple[str, ...] = ()

    @property
    def given(self) -> dict[str, str]:
        """Name -> value of what the run was given."""
        return {one.property: one.value for one in self.settings if not one.why_not}


@dataclass(frozen=True, slots=True)
class SettingTried:
    """A setting of such a run, and whether the job had it.

    Attributes:
        setting: as it was given.
        used: the value in the job's own configuration, None where that is not known.
        in_effect: whether the job had it; None where that is not known.
    """

    setting: AdvisedSetting
    used: str | None
    in_effect: bool | None


@dataclass(frozen=True, slots=True)
class CauseTried:
    """What the run says of one cause.

    Attributes:
        cause: its id.
        verdict: ``proven``, the job finished without it; ``withdrawn``, the task died in the same
            place of the same thing; or ``not decided``.
        sentence: why.
    """

    cause: str
    verdict: TriedVerdict
    sentence: str


@dataclass(frozen=True, slots=True)
class Advised:
    """What came of a run with the advised settings.

    Attributes:
        run: its number in the capture.
        kind: of the intervention.
        settings: what was set.
        outcome: ``finished``; ``finished late``, after attempts that ran out of memory; ``died``
            of memory; ``failed`` of something else; ``not reached``, the command did not come to
            that job.
        death_kind: of the attempt that died, else None.
        same_death: whether it died in the same place of the same thing; None where it did not die,
            or that cannot be told.
        predicted_peak_bytes: the highest that was predicted for what was set.
        measured_peak_bytes: the most that was live in any attempt of the type that had died.
        at_most: less may have been live.
        causes: what it says of each cause that it was to remove.
        sentence: all of it in short.
    """

    run: int
    kind: Kind
    settings: tuple[SettingTried, ...]
    outcome: Outcome
    death_kind: str | None
    same_death: bool | None
    predicted_peak_bytes: int | None
    measured_peak_bytes: int | None
    at_most: bool
    causes: tuple[CauseTried, ...]
    sentence: str

    @property
    def peak_ratio(self) -> float | None:
        """The measured peak as a multiple of the predicted one."""
        if not self.predicted_peak_bytes or self.measured_peak_bytes is None:
            return None
        return self.measured_peak_bytes / self.predicted_peak_bytes
