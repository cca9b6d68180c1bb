"""What one job left behind in several runs, joined into the evidence about one failed attempt."""

from __future__ import annotations

from mprof.evidence.assemble.assemble import assemble
from mprof.evidence.assemble.best_witness import assemble_best, losses_of
from mprof.evidence.assemble.choice import traces_of

__all__ = ["assemble", "assemble_best", "losses_of", "traces_of"]
