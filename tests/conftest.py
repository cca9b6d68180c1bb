"""What all tests share."""

from __future__ import annotations

import signal

from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("mprof", deadline=None)
settings.load_profile("mprof")

# A shell that starts the tests in its background has SIGINT ignored by all that they start, too;
# a handler of our own is none of theirs, and leaves them with what is usual.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
