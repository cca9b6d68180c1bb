"""Whatever people have of a job that died, at any place and under any name -> what it tells.

Content decides, never a name. Every content is read once, in bounded memory, and what cannot be
used is listed with the reason.

``take_in`` reads the contents, ``texts`` says by who wrote it what a text adds to what is
``gathered``, and ``join`` makes jobs of that: ``attempts`` and ``pairs`` the traces, ``jobs`` the
rest.
"""

from __future__ import annotations

from mprof.intake.take_in import take_in
from mprof.intake.taken_in import TakenIn
from mprof.intake.walk import STANDARD_INPUT

__all__ = ["STANDARD_INPUT", "TakenIn", "take_in"]
