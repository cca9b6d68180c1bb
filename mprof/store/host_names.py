"""One host, one name: which of the names that sources have for hosts mean the same one.

A job history names the host that its node was registered under, a log is called after the short
name, the trace of a DataNode knows addresses only, and capitals mean nothing in a host name
(RFC 4343). Only what cannot be another host is taken together: a short name with the one full name
that begins with it, an address with the one host that says it is its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

__all__ = ["host_names", "is_address"]


def host_names(
    named: Iterable[tuple[str, str | None]], listed: Iterable[str] = ()
) -> dict[str, str]:
    """The host that each name stands for; names that stand for themselves are left out.

    A host is called as it is listed, else by its full name.

    Args:
        named: names as sources write them, each with the address that its source gives it.
        listed: hosts that are known to exist, as an administrator writes them.
    """
    pairs = list(named)
    known = {_plain(name) for name in listed}
    written = {name for name, _ in pairs}
    hosts = {name for name in map(_plain, written) if not is_address(name)} | {
        name for name in known if not is_address(name)
    }
    same = _short_and_full(hosts, known)
    claimed: dict[str, set[str]] = {}
    for name, address in pairs:
        host = _plain(name)
        if address is not None and not is_address(host):
            claimed.setdefault(_plain(address), set()).add(same.get(host, host))
    same.update((address, min(who)) for address, who in claimed.items() if len(who) == 1)
    found = {name: same.get(_plain(name), _plain(name)) for name in written | set(same)}
    return {name: host for name, host in found.items() if name != host}


def _short_and_full(hosts: Iterable[str], listed: set[str]) -> dict[str, str]:
    """The other name of each host that is known by its short name and exactly one full one."""
    by_label: dict[str, set[str]] = {}
    for host in hosts:
        by_label.setdefault(host.partition(".")[0], set()).add(host)
    same = {}
    for label, names in by_label.items():
        full = names - {label}
        if label in names and len(full) == 1:
            (long,) = full
            chosen, other = (
                (label, long) if label in listed and long not in listed else (long, label)
            )
            same[other] = chosen
    return same


def _plain(name: str) -> str:
    """The name without capitals, the dot of the root and a port, which are no part of a host."""
    plain = name.lower().rstrip(".")
    host, _, port = plain.rpartition(":")
    if not port.isdecimal() or is_address(plain):
        return plain
    bare = host.removeprefix("[").removesuffix("]").rstrip(".")
    return bare if bare and (":" not in bare or is_address(bare)) else plain


def is_address(name: str) -> bool:
    """Whether it is an address of IP, and no name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
