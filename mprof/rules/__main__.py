"""`python -m mprof.rules FOLDER` writes the pages of all rules and kinds of death."""

from __future__ import annotations

import sys
from pathlib import Path

from mprof.rules.pages import write_pages

if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
