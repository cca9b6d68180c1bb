"""Recordings that lie beside a developer's checkout and are no part of the product.

Tests that read them skip, with a clear line, where the folder is absent.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["SHARED_DATA", "needs_shared_data"]

SHARED_DATA = Path(
    os.environ.get("MPROF_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
)

needs_shared_data = pytest.mark.skipif(
    not SHARED_DATA.is_dir(), reason=f"no recordings in {SHARED_DATA} (set MPROF_SHARED_DATA)"
)
