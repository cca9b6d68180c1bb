"""The workflow that publishes a release: what it runs is there, and who may do what."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from mprof.version import __version__

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")


def jobs() -> dict[str, str]:
    """The text of each job, by its name."""
    parts = re.split(r"^  (\w+):\n", WORKFLOW.partition("\njobs:\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^\.PHONY: ([\w-]+)$", makefile, re.MULTILINE))


def test_each_command_is_a_verb_of_the_makefile() -> None:
    commands = re.findall(r"run: (.*)", WORKFLOW)

    assert len(commands) >= 5
    for command in commands:
        words = command.split()
        assert words[0] == "make", command
        assert words[1] in targets(), command
        assert all(word == "LOCKED=1" for word in words[2:]), command


def test_what_is_published_was_built_twice_before_with_the_same_bytes() -> None:
    steps = re.findall(r"- run: (.*)", jobs()["build"])

    assert ["make reproducible", "make dist"] == steps[-2:]


def test_each_action_has_a_version() -> None:
    actions = re.findall(r"uses: (\S+)", WORKFLOW)

    assert len(actions) >= 8
    for action in actions:
        assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+(\.\d+)*", action), action


def test_only_what_publishes_may_sign_and_it_runs_nothing_of_ours() -> None:
    by_name = jobs()

    assert {"test", "build", "publish"} == set(by_name)
    assert "\npermissions: {}\n" in WORKFLOW
    for name, text in by_name.items():
        assert ("id-token: write" in text) == (name == "publish")
        assert ("run:" in text or "checkout" in text) == (name != "publish")
    assert "needs: [test, build]" in by_name["publish"]
    assert "environment: pypi" in by_name["publish"]
    assert "attestations: true" in by_name["publish"]


def test_only_tags_of_versions_start_it_and_no_tag_is_put_into_a_command() -> None:
    assert 'on:\n  push:\n    tags: ["v*"]\n\n' in WORKFLOW
    assert not re.search(r"run:.*\$\{\{", WORKFLOW)
    assert "secrets." not in WORKFLOW


@pytest.mark.parametrize(
    ("tag", "matches"),
    [(f"v{__version__}", True), ("v0.0.1", False), (__version__, False), ("v$(echo 1)`id`", False)],
)
def test_a_tag_is_that_of_the_version_or_refused(tag: str, matches: bool) -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "tag-matches"],
        cwd=ROOT,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "TAG": tag},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode == 0) == matches
    assert matches or done.stderr.startswith(f"{tag} is not the tag of this version, which is v")
