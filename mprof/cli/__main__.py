"""``python -m mprof.cli`` is ``mprof``."""

from mprof.cli.main import main

main()
