"""A signature in words: what it is, and the figures that say so. No arithmetic."""

from __future__ import annotations

from typing import Final

from mprof.signatures.signature import Signature

__all__ = ["evidence_of", "title_of"]

_TITLES: Final = {
    "spread": "Application problem",
    "one task": "Application problem: one task",
    "large and slow": "Data skew",
    "node": "Infrastructure problem",
    "rack": "Infrastructure problem: a rack",
}


def title_of(signature: Signature) -> str:
    """What it is, in a few words."""
    return _TITLES[signature.pattern]


def evidence_of(signature: Signature) -> str:
    """The evidence in one sentence."""
    numbers = {each.name: each.value for each in signature.figures}
    kind = signature.task_kind or "task"
    match signature.pattern:
        case "spread":
            return (
                f"{numbers['failed attempts']:,.0f} of {numbers['attempts that ended']:,.0f} {kind}"
                f" attempts failed, on {numbers['failing nodes']:,.0f} of {numbers['nodes']:,.0f}"
                " nodes"
            )
        case "one task":
            return (
                f"{signature.task} failed {numbers['failed attempts']:,.0f} times, on"
                f" {numbers['failing nodes']:,.0f} nodes, and never succeeded;"
                f" {numbers['tasks that never succeeded']:,.0f} of {numbers['tasks']:,.0f} {kind}"
                " tasks did not"
            )
        case "large and slow":
            return (
                f"{numbers['large and slow nodes']:,.0f} of {numbers['nodes']:,.0f} nodes had"
                f" {numbers['share of the I/O']:.0%} of the {kind} data; the largest had"
                f" {numbers['data of the largest']:,.1f} times the median and took"
                f" {numbers['duration of the largest']:,.1f} times as long"
            )
        case "node" | "rack":
            slow = (
                f", some took {numbers['slowness']:,.1f} times the median"
                if "slowness" in numbers
                else ""
            )
            users = numbers["users of these"]
            return (
                f"bad in {numbers['jobs that fared badly']:,.0f} of"
                f" {numbers['jobs compared']:,.0f} jobs, of {users:,.0f} user{'s'[: users != 1]}:"
                f" {numbers['failed attempts']:,.0f} of {numbers['attempts that ended']:,.0f}"
                f" attempts failed{slow}; of {numbers['seen']:,.0f} bad comparisons chance would"
                f" give {numbers['expected by chance']:,.1f}"
            )
