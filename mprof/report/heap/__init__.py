"""A heap as a page, and the answers about its objects as text."""

from mprof.report.heap.html import page_of

__all__ = ["page_of"]
