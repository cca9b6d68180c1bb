"""A cluster at a glance: Theia's three views as static pages that work offline.

What is shown is decided in `picture`, `stripes` and `tasks`, and written as typed columns by
`page_files`; the scripts in ``page/`` put it on canvases and decide nothing.
"""

from mprof.views.page_files import Site, write_site
from mprof.views.site import Made, Wanted, check_folder, make_site

__all__ = ["Made", "Site", "Wanted", "check_folder", "make_site", "write_site"]
