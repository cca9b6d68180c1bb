"""The cluster-wide switch: watch mode for every job, through the site configuration."""

from __future__ import annotations

from mprof.runs.switch.examining import examine_switch
from mprof.runs.switch.expiring import Expired, expire
from mprof.runs.switch.installing import Installed, install, installed
from mprof.runs.switch.properties import (
    Places,
    Switch,
    checked_places,
    checked_share,
    switch_in,
)

__all__ = [
    "Expired",
    "Installed",
    "Places",
    "Switch",
    "checked_places",
    "checked_share",
    "examine_switch",
    "expire",
    "install",
    "installed",
    "switch_in",
]
