"""What one job left behind in several runs, joined into the evidence about one failed attempt."""

from __future__ import annotations

from mprof.evidence.assemble.assemble import assemble

__all__ = ["assemble"]
