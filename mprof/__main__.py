"""``python -m mprof`` is ``mprof``."""

from mprof.cli.main import main

main()
