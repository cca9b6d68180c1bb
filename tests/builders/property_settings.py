"""How many examples a property is tried on: few and always the same ones, or many new ones.

``MPROF_PROPERTIES=thorough`` tries fifty times as many, new ones in each run. A failure prints the
line that makes it happen again (``@reproduce_failure``).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

__all__ = ["EVERY", "tried"]

EVERY = 50 if os.environ.get("MPROF_PROPERTIES") == "thorough" else 1


def tried(examples: int) -> settings:
    """Settings of a property that is tried on so many examples in a quick run."""
    return settings(
        max_examples=EVERY * examples,
        derandomize=EVERY == 1,
        print_blob=True,
        deadline=None,
        database=None,
        # A smaller seed is no smaller attempt: there is nothing to shrink.
        phases=(Phase.explicit, Phase.generate),
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
