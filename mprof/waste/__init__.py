"""Bytes of a heap that a program could do without: collections, boxes, texts, arrays, loaders."""

from __future__ import annotations

from mprof.waste.find import find_waste
from mprof.waste.shapes import collections_of
from mprof.waste.wasted import Waste

__all__ = ["Waste", "collections_of", "find_waste"]
