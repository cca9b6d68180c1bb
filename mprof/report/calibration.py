"""A calibration as text."""

from __future__ import annotations

from mprof.peers.calibration.false_alarms import ENOUGH_TO_SHOW, MOST_FALSE
from mprof.peers.calibration.values import Calibration, Setting
from mprof.peers.synthesis.confusion import Confusion
from mprof.report.lines import in_lines
from mprof.report.sickness import confusion_text, tree_text

__all__ = ["calibration_text"]

_WHO = {"nodes": "", "master": " (of the master)"}


def calibration_text(
    calibration: Calibration, *, fewest_experiments: float, by_indicted: Confusion | None = None
) -> str:
    """What was set, what was left and why, and what false alarms to expect.

    Args:
        calibration: the content of the file.
        fewest_experiments: runs of a class below which nothing can be said of it.
        by_indicted: the confusion matrix with the other variant of the tree.
    """
    calibration, by_indicted = in_lines(calibration), in_lines(by_indicted)
    runs = len(calibration.controls)
    lines = [
        (
            f"{runs} control run{'s'[: runs != 1]} with {calibration.node_runs:,} nodes"
            f" (a node of each run for itself)"
        ),
    ]
    set_ = [one for one in calibration.settings if one.why_default is None]
    left = [one for one in calibration.settings if one.why_default is not None]
    if set_:
        lines += ["", "SET"]
        for one in set_:
            lines += _set(one)
    if left:
        lines += ["", "LEFT AT ITS DEFAULT"]
        for one in left:
            lines += _left(one)
    lines += ["", "FALSE ALARMS OF ALL DETECTORS TOGETHER"]
    lines.append(f"  nodes of control runs that any detector names: {calibration.any_detector}")
    if calibration.held_out is not None:
        lines.append(f"  each run judged with what the others ask for: {calibration.held_out}")
    lines += _enough(calibration)
    lines += ["", "PROFILES", f"  {_profiles(calibration)}"]
    lines += ["", "DETECTORS AS PUBLISHED", *_as_published(calibration)]
    if calibration.faults or calibration.tree is not None:
        lines += ["", "TREE OF SICKNESSES"]
        lines += _tree(calibration, fewest_experiments, by_indicted)
    return "\n".join(lines)


def _set(one: Setting) -> list[str]:
    was = "as by default" if one.value == one.default else f"by default {one.default:g}"
    return [
        f"  {one.threshold} {one.value:g} {one.unit} ({was}){_WHO[one.of]}",
        f"    false alarms {one.false_alarms}"
        + (f", held out {one.held_out}" if one.held_out is not None else "")
        + _withheld(one),
    ]


def _left(one: Setting) -> list[str]:
    lines = [f"  {one.threshold} {one.value:g} {one.unit}{_WHO[one.of]}: {one.why_default}"]
    if one.false_alarms.total:
        lines.append(f"    false alarms {one.false_alarms}{_withheld(one)}")
    return lines


def _withheld(one: Setting) -> str:
    if not one.withheld:
        return ""
    return f", withheld in {one.withheld} of {one.runs} run{'s'[: one.runs != 1]}"


def _enough(calibration: Calibration) -> list[str]:
    judged = calibration.any_detector.total
    if judged >= ENOUGH_TO_SHOW.value:
        return []
    return [
        (
            f"  {judged} nodes do not show that the rate is {MOST_FALSE.value:.0%} or less:"
            f" {ENOUGH_TO_SHOW.value:.0f} without a false alarm do"
        )
    ]


def _profiles(calibration: Calibration) -> str:
    model = calibration.profiles
    if model is None:
        return f"none learnt, so that bb-profile is not asked: {calibration.why_no_profiles}"
    left_out = f"; without {', '.join(model.left_out)}" if model.left_out else ""
    return f"{len(model.cuts)} learnt from {model.vectors:,} vectors{left_out}"


def _as_published(calibration: Calibration) -> list[str]:
    set_ = calibration.thresholds_as_published or {}
    lines = [f"  {name} {value:.3g}" for name, value in set_.items()]
    if not lines:
        lines = ["  left at their defaults: too few nodes of control runs were judged"]
    if calibration.profiles_as_published is None:
        lines.append("  no profiles were learnt, so that ganesha and kahuna-bb say nothing")
    return lines


def _tree(
    calibration: Calibration, fewest_experiments: float, by_indicted: Confusion | None
) -> list[str]:
    tree, confusion = calibration.tree, calibration.confusion
    if tree is None or confusion is None:
        return [f"  none learnt: {calibration.why_no_tree}"]
    lines = [f"  {line}" for line in tree_text(tree).splitlines()]
    if tree.left_out:
        names = ", ".join(tree.left_out)
        lines += ["", f"  not used, because known in fewer than half of the runs: {names}"]
    lines += ["", "LEAVING ONE RUN OUT: ROWS ARE WHAT NODES WERE, COLUMNS THE VERDICTS"]
    lines += [f"  {line}" for line in confusion_text(confusion).splitlines()]
    lines += [
        f"  sick nodes found: {confusion.found}",
        f"  sick nodes with the right fault: {confusion.named}",
        f"  healthy nodes named as sick: {confusion.blamed}",
        f"  all nodes with the right class: {confusion.all_right}",
    ]
    if by_indicted is not None:
        lines.append(
            "  with the mean of the others over the indicted nodes:"
            f" {by_indicted.all_right}, sick nodes with the right fault {by_indicted.named}"
        )
    few = [
        f"{name} ({runs})"
        for name, runs in zip(tree.classes, tree.experiments, strict=True)
        if runs < fewest_experiments
    ]
    if few:
        lines.append(
            f"  too few runs to say anything of ({fewest_experiments:.0f} are needed):"
            f" {', '.join(few)}"
        )
    return lines
