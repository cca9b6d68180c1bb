"""Many cases, one after the other: which are still to be run, and where the run stands."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mprof.cli.output import say

if TYPE_CHECKING:
    from mprof.catalogue import Case, CaseResult, Result, Way
    from mprof.catalogue.case import Setting

__all__ = ["Series"]


class Series:
    """Cases to run, and the file with the results of those that were."""

    def __init__(
        self,
        cases: Sequence[Case],
        *,
        file: Path | None,
        way: Way,
        seed: int | None,
        settings: Mapping[str, Setting],
    ) -> None:
        from mprof.catalogue import read_results

        self._cases = cases
        self._file = file
        self._way = way
        self._seed = seed
        self._settings = settings
        self._done: dict[str, Result] = {}
        before = read_results(file) if file is not None else ()
        by_fingerprint = {one.fingerprint: one for one in before}
        for case in cases:
            found = by_fingerprint.get(self._fingerprint(case)) if by_fingerprint else None
            if found is not None:
                self._done[case.slug] = found

    def to_run(self) -> Iterator[Case]:
        """The cases without a result, in their order; says where the run stands before each."""
        began, count = time.monotonic(), len(self._cases)
        if self._done:
            say(f"{len(self._done)} of {count} cases are in {self._file} already", on_stderr=True)
        for number, case in enumerate(self._cases, 1):
            if case.slug in self._done:
                continue
            if count > 1:
                minutes = (time.monotonic() - began) / 60
                say(f"case {number} of {count}: {case.slug} ({minutes:.0f} min)", on_stderr=True)
            yield case

    def ended(self, case: Case, result: CaseResult) -> None:
        """Keep the result of a run that came to its end."""
        from mprof.catalogue import Result, add_result

        if self._file is not None:
            add_result(self._file, Result.of(result, self._fingerprint(case)))

    def failed(self, case: Case, what: str) -> None:
        """Keep that a job did not end as it should."""
        from mprof.catalogue import Result, add_result

        if self._file is not None:
            fingerprint = self._fingerprint(case)
            line = Result.of_fault(case, self._way, self._seed_of(case), what, fingerprint)
            add_result(self._file, line)

    def wrong_before(self) -> list[str]:
        """What was not as expected in results that were there already, one clause each."""
        return [
            f"{slug} (before: {'; '.join(one.problems)})"
            for slug, one in self._done.items()
            if not one.correct
        ]

    def _seed_of(self, case: Case) -> int:
        return case.input.seed if self._seed is None else self._seed

    def _fingerprint(self, case: Case) -> str:
        from mprof.catalogue import fingerprint

        return fingerprint(case, seed=self._seed_of(case), way=self._way, settings=self._settings)
