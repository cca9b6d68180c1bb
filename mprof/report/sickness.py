"""A tree of sicknesses as text, its confusion matrix, and what it says of nodes, as JSON too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.sickness import Sickness
from mprof.peers.synthesis.tree import (
    HEALTHY,
    THE_MASTER,
    THIS,
    Classified,
    SicknessTree,
    Step,
)

__all__ = ["confusion_text", "kinds_json", "kinds_text", "path_in_words", "tree_text"]

_INDENT = "    "


def tree_text(tree: SicknessTree) -> str:
    """The whole tree: what is compared, and at each leaf the class, with its training vectors."""
    return "\n".join(_below(tree, 0, ""))


def _below(tree: SicknessTree, number: int, indent: str) -> Iterator[str]:
    node = tree.nodes[number]
    if node.value is None:
        best = max(range(len(tree.classes)), key=lambda one: node.counts[one])
        yield f"{indent}{tree.classes[best]} ({node.counts[best]} of {sum(node.counts)} vectors)"
        return
    name = tree.values[node.value]
    for side, where, missing in (
        (node.left, "up to", node.missing_left),
        (node.right, "above", not node.missing_left),
    ):
        if node.cut is None:
            yield f"{indent}{name}: {'not known' if missing else 'known'}"
        else:
            unknown = ", or not known" if node.missing and missing else ""
            yield f"{indent}{name}: {where} {node.cut:.3g}{unknown}"
        yield from _below(tree, side, indent + _INDENT)


def path_in_words(classified: Classified) -> str:
    """Why a node is of its class: each comparison from the root of the tree.

    Of several comparisons of one value, the narrowest on each side are named.
    """
    kept: dict[tuple[str, bool | None], Step] = {}
    for step in classified.path:
        kept.pop((step.what, step.above), None)  # a later one is narrower
        kept[(step.what, step.above)] = step
    return "; ".join(map(_in_words, kept.values()))


def _in_words(step: Step) -> str:
    if step.above is None:
        return f"{step.what}: not known"
    if step.cut is None:
        return f"{step.what}: known"
    side = "above" if step.above else "not above"
    return f"{step.what}: {step.value:.3g}, {side} {step.cut:.3g}"


def confusion_text(confusion: Confusion) -> str:
    """The matrix: a row what nodes were, a column what was said; then the shares."""
    width = max(3, *(len(str(count)) for row in confusion.matrix for count in row)) + 1
    heads = [*(str(number + 1) for number in range(len(confusion.classes))), "?"]
    lines = [" " * 4 + "".join(head.rjust(width) for head in heads)]
    for number, (name, runs, row) in enumerate(
        zip(confusion.classes, confusion.experiments, confusion.matrix, strict=True)
    ):
        cells = "".join((str(count) if count else ".").rjust(width) for count in row)
        lines.append(f"{number + 1:>3} {cells}   {name} ({runs} run{'s'[: runs != 1]})")
    return "\n".join(lines)


def kinds_text(kinds: Sequence[Sickness], suspects: Collection[str]) -> list[str]:
    """What a tree says of the suspects, of nodes that it alone calls sick, and of the master."""
    lines = []
    masters: dict[str, list[str]] = {}
    for each in kinds:
        found = each.classified
        if found.name is not None and found.name.endswith(f": {THE_MASTER}"):
            masters.setdefault(found.name, []).append(each.host)
        elif each.host in suspects or found.is_sick:
            alone = "" if each.host in suspects else ", though no detector indicts it"
            lines += [f"{each.host}: {_kind(found)}{alone}", f"  {path_in_words(found)}"]
    lines += [
        f"{name}, as {len(hosts)} of {len(kinds)} nodes show it" for name, hosts in masters.items()
    ]
    return lines


def _kind(found: Classified) -> str:
    if found.name is None:
        return f"cannot tell, {found.why_not}"
    if found.name == HEALTHY:
        return f"as in a run without a fault ({_backing(found)})"
    fault, _, whose = found.name.rpartition(": ")
    of = "" if whose == THIS else f" of {whose}"
    return f"{fault}{of} ({_backing(found)})"


def _backing(found: Classified) -> str:
    runs = f"{found.experiments} run{'s'[: found.experiments != 1]}"
    return f"{found.share:.0%} of {found.vectors} such vectors, learnt from {runs}"


def kinds_json(kinds: Sequence[Sickness]) -> list[dict[str, Any]]:
    """The same of every node, for JSON."""
    return [
        {
            "host": each.host,
            "class": each.classified.name,
            "share": each.classified.share,
            "vectors": each.classified.vectors,
            "runs": each.classified.experiments,
            "why_not": each.classified.why_not,
            "path": [
                {
                    "what": step.what,
                    "value": None if step.above is None else step.value,
                    "cut": step.cut,
                    "above": step.above,
                }
                for step in each.classified.path
            ],
        }
        for each in kinds
    ]
