"""How much of the growth at R_n the run with R_n alone shows again (paper 4.2.2, "R_n only")."""

from __future__ import annotations

from mprof.evidence import Evidence, known
from mprof.threshold import Threshold

__all__ = ["VERIFIED", "verified_share"]

VERIFIED = Threshold(
    "verified share",
    0.50,
    "share of the growth at R_n that R_n alone shows again",
    "of the published reruns, one record's own results came again whole (385 of 385 MB), while of "
    "a container that doubled at most a quarter did (30 of 121 MB, 0.1 of 202 MB)",
)


def verified_share(evidence: Evidence, jump_bytes: float | None = None) -> float | None:
    """Growth with R_n alone as a share of the growth at R_n; None where it was not measured.

    Args:
        evidence: of the attempt.
        jump_bytes: the growth at R_n, where it is not the measured one.
    """
    verification = known(evidence.verification)
    if verification is None or not verification.met:
        return None
    alone = known(verification.growth_bytes)
    if alone is None:
        return 1.0 if verification.died else None
    if jump_bytes is None:
        growth = known(evidence.record_growth)
        jump_bytes = growth.last_bytes if growth is not None else None
    if jump_bytes is None or jump_bytes <= 0:
        return None
    return max(0.0, alone / jump_bytes)
