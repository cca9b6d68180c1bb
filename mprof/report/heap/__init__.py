"""A heap as a page, and the answers about its objects as text."""

from mprof.report.heap.html import harmless, page_of

__all__ = ["harmless", "page_of"]
