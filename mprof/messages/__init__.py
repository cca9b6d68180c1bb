"""What messages, exit codes and frames say of a death by themselves.

A message that Hadoop or the JVM writes where it throws, logs or kills often says the cause, and the
settings at hand say the value that fits. Each entry names the class that writes it in every line of
Hadoop, and says no more than it proves. Known leaks are said the same way, beside what is measured.
"""

from __future__ import annotations

from mprof.messages.containers import BY_OOM_HANDLER
from mprof.messages.elsewhere import remarks_on
from mprof.messages.ending import is_lost, went_with_its_node
from mprof.messages.message import Message, Proof, Reading, SaidSetting
from mprof.messages.said import is_of_a_jobtracker
from mprof.messages.settings_alone import remarks_on_settings
from mprof.messages.table import MESSAGES, read_messages

__all__ = [
    "BY_OOM_HANDLER",
    "MESSAGES",
    "Message",
    "Proof",
    "Reading",
    "SaidSetting",
    "is_lost",
    "is_of_a_jobtracker",
    "read_messages",
    "remarks_on",
    "remarks_on_settings",
    "went_with_its_node",
]
