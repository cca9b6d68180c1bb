"""The cluster-wide switch: watch mode for every job, through the site configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.runs.switch.book import Book, open_book
    from mprof.runs.switch.examining import examine_switch
    from mprof.runs.switch.expiring import Expired, expire
    from mprof.runs.switch.harm import Harm
    from mprof.runs.switch.histories import EndedJob, ended_jobs_here, ended_jobs_on
    from mprof.runs.switch.installing import Installed, install, installed
    from mprof.runs.switch.properties import (
        Places,
        Switch,
        checked_places,
        checked_share,
        switch_in,
    )
    from mprof.runs.switch.trial import Arms, trial_of

__all__ = [
    "Arms",
    "Book",
    "EndedJob",
    "Expired",
    "Harm",
    "Installed",
    "Places",
    "Switch",
    "checked_places",
    "checked_share",
    "ended_jobs_here",
    "ended_jobs_on",
    "examine_switch",
    "expire",
    "install",
    "installed",
    "open_book",
    "switch_in",
    "trial_of",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
