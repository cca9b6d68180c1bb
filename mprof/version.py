"""The version of mprof; nothing else stands here, so that whoever asks for it imports nothing."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "1.0.0"
