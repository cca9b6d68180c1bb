"""A cluster at a glance: Theia's three views as static pages that work offline.

What is shown is decided in `picture`, `stripes` and `tasks`, and written as typed columns by
`site`; the scripts in ``page/`` put it on canvases and decide nothing.
"""

from mprof.views.site import Site, write_site

__all__ = ["Site", "write_site"]
