"""What came of the newest run with the advised settings."""

from __future__ import annotations

from mprof.advised import Advised as Facts
from mprof.advised import CauseTried, Kind, Outcome
from mprof.report.published.base import Published

__all__ = ["Advised", "Setting"]


class Setting(Published, frozen=True, kw_only=True):
    """A setting of that run.

    Attributes:
        cause: that it removes.
        used: the value in the job's own configuration in that run.
        in_effect: whether the job had it; null where that is not known.
        why_not: why the run was not given it: it cannot be set from outside the job.
    """

    cause: str
    property: str
    value: str
    used: str | None
    in_effect: bool | None
    why_not: str | None


class Advised(Published, frozen=True, kw_only=True):
    """What came of the newest run with the advised settings (mprof rerun --advised).

    Attributes:
        run: its number in the capture.
        kind: what was changed of the job: all settings that were advised; or, where code or data
            has to change, left out: the record or group at death, in an attempt that never commits;
            or room: a larger heap.
        outcome: finished late: after attempts that ran out of memory. died: of memory. failed: of
            something else. not reached: the command did not come to that job.
        death: kind of death of the attempt that died; null where none did.
        same_death: whether it died in the same place of the same thing; null where it did not die,
            or that cannot be told.
        predicted_peak_bytes: the highest peak predicted for what was set.
        measured_peak_bytes: the most that a collection left in any attempt of the type, map or
            reduce, that had died; null where there was none.
        at_most: it was no full collection: garbage is included, so that less may have been live.
        peak_ratio: the measured peak as a multiple of the predicted one.
        causes: what it says of each cause that it was to remove.
        sentence: all of it in short.
    """

    run: int
    kind: Kind
    outcome: Outcome
    death: str | None
    same_death: bool | None
    predicted_peak_bytes: int | None
    measured_peak_bytes: int | None
    at_most: bool
    peak_ratio: float | None
    settings: tuple[Setting, ...]
    causes: tuple[CauseTried, ...]
    sentence: str

    @classmethod
    def of(cls, advised: Facts | None) -> Advised | None:
        """The same, with what was set and what the job had of it side by side."""
        if advised is None:
            return None
        return cls.taken(
            advised,
            death=advised.death_kind,
            settings=tuple(
                Setting.taken(
                    one.setting,
                    used=one.used,
                    in_effect=one.in_effect,
                    why_not=one.setting.why_not or None,
                )
                for one in advised.settings
            ),
        )
