"""Two sick slaves of ten, as `mprof nodes` sees them: ``python -m testbed.of_ten``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from statsmodels.stats.proportion import proportion_confint

from mprof.peers.findings import find_sick_nodes
from mprof.peers.verdict.confidence import Confidence
from testbed.campaign import OF_TEN
from testbed.recorded import Recorded, read_recordings

__all__ = ["Said", "page_of_ten", "say"]

_WORDS: Final = ("sure", "likely", "possible")
_COMMANDS: Final = ("python -m testbed.campaign --ten", "python -m testbed.of_ten --page PAGE")


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of one recording.

    Attributes:
        recorded: the recording.
        named: the nodes that are named, each with how sure that is.
    """

    recorded: Recorded
    named: Mapping[str, Confidence]

    @property
    def faults(self) -> Mapping[str, str]:
        """By sick node its fault."""
        one = self.recorded
        if one.fault is None or one.node is None:
            return {}
        return dict(zip(one.node.split("+"), one.fault.split("+"), strict=True))

    @property
    def accused(self) -> list[str]:
        """Healthy nodes that are named."""
        return sorted(self.named.keys() - self.faults.keys())

    def slowed(self, host: str) -> float | None:
        """How long a map attempt takes on a sick slave, against one on the healthy slaves."""
        rows = self.recorded.attempts
        rows = rows[
            (rows["kind"] == "map")
            & (rows["state"] == "succeeded")
            & (rows["started_s"] >= self.recorded.from_s)
        ]
        seconds = rows["finished_s"] - rows["started_s"]
        own = seconds[rows["host"] == host]
        others = seconds[~rows["host"].isin(list(self.faults))]
        return float(own.median() / others.median()) if len(own) and len(others) else None


def say(one: Recorded) -> Said:
    """What `mprof nodes` says of a recording, without calibration."""
    found = find_sick_nodes(one.store, hosts=one.slaves)
    return Said(one, {suspect.host: suspect.confidence for suspect in found.suspects})


def page_of_ten(every: Sequence[Said]) -> str:
    """The page of `docs/reference`."""
    return "\n".join([*_head(every), *_by_fault(every), *_by_word(every), *_each(every), ""])


def _head(every: Sequence[Said]) -> Iterator[str]:
    pairs = [one for one in every if one.faults]
    controls = [one for one in every if not one.faults]
    found = sum(host in one.named for one in pairs for host in one.faults)
    without = (
        f"; in {_recordings(controls)} without a fault it names"
        f" {_accused(controls)} of {_healthy(controls)}"
        if controls
        else ""
    )
    yield from (
        "# The testbed with ten slaves, two of them sick",
        "",
        (
            f"`mprof nodes` names {found} of the {sum(len(one.faults) for one in pairs)} sick"
            f" slaves in {_recordings(pairs)}, and {_accused(pairs)} of their"
            f" {_healthy(pairs)} healthy ones{without}."
        ),
        "",
        "The machine of [the testbed](testbed.md), divided among a master and ten slaves.",
        (
            "Each slave has 0.12 of a processor, and jobs of one workload run for 720 s: a task"
            " takes 90 s, and a node runs two at a time."
        ),
        (
            "Two slaves become sick 20 s after the first job was started; `-midway` means 130 s"
            " later, `-at-times` 45 s of every 90."
        ),
        "`slow-cpu-2` halves the node's share of a processor, `slow-disk-2` the speed of its disk.",
        (
            "`times` is how long a map attempt takes on the slave, against one on the healthy"
            " slaves (medians of attempts that ended well while the fault was there): a fault that"
            " makes nothing slower may be seen in the metrics, or not at all."
        ),
        "No file of calibration is used.",
        "Ranges are 95 % Wilson confidence intervals.",
        "",
        "```",
        *_COMMANDS,
        "```",
        "",
    )


def _by_fault(every: Sequence[Said]) -> Iterator[str]:
    yield from ("## By fault", "", "| fault | sick slaves named | share |", "|---|---|---|")
    cases = sorted(
        (fault, host in one.named) for one in every for host, fault in one.faults.items()
    )
    for fault in dict.fromkeys(fault for fault, _ in cases):
        yield _row(fault, [named for of, named in cases if of == fault])
    yield _row("all", [named for _, named in cases])
    yield ""


def _by_word(every: Sequence[Said]) -> Iterator[str]:
    yield from ("## By confidence", "", "| word | nodes named | of them sick |", "|---|---|---|")
    for word in _WORDS:
        right = [
            host in one.faults for one in every for host, said in one.named.items() if said == word
        ]
        yield f"| {word} | {len(right)} | {sum(right)} |"
    yield ""


def _each(every: Sequence[Said]) -> Iterator[str]:
    yield from (
        "## Each recording", "",
        "| workload | speculation | sick slaves | named | healthy, named |",
        "|---|---|---|---|---|",
    )  # fmt: skip
    for one in every:
        sick = ", ".join(
            f"{host} ({fault}, {_in_words(one.slowed(host))})" for host, fault in one.faults.items()
        )
        named = ", ".join(
            f"{host} ({word})" for host, word in one.named.items() if host in one.faults
        )
        accused = ", ".join(f"{host} ({one.named[host]})" for host in one.accused)
        speculation = "yes" if one.recorded.speculation else "no"
        yield (
            f"| {one.recorded.workload} | {speculation} | {sick or '-'} | {named or '-'}"
            f" | {accused or '-'} |"
        )


def _row(name: str, named: Sequence[bool]) -> str:
    low, high = proportion_confint(sum(named), len(named), method="wilson")
    share = sum(named) / len(named)
    return f"| {name} | {sum(named)} of {len(named)} | {share:.2f} ({low:.2f} to {high:.2f}) |"


def _in_words(times: float | None) -> str:
    return "no map attempt ended" if times is None else f"{times:.1f} times"


def _recordings(some: Sequence[Said]) -> str:
    return "1 recording" if len(some) == 1 else f"{len(some)} recordings"


def _accused(some: Iterable[Said]) -> int:
    return sum(len(one.accused) for one in some)


def _healthy(some: Iterable[Said]) -> int:
    return sum(len(one.recorded.slaves) - len(one.faults) for one in some)


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(prog="python -m testbed.of_ten", description=__doc__)
    parser.add_argument("--recordings", type=Path, default=OF_TEN)
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="mprof-stores-") as stores,
        ProcessPoolExecutor(mp_context=get_context("spawn")) as workers,
    ):
        recordings = read_recordings(given.recordings, Path(stores), workers)
        text = page_of_ten([say(one) for one in recordings])
    if given.page is not None:
        given.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
