"""The way in: properties that carry the agent without hurting the job."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.runs.agent_injection import (
    AGENT_JAR,
    archive_facts,
    checksum,
    inject_agent,
    profile_params,
    settings_in,
)

JAR = b"all of the agent"
SUM = checksum(JAR)

with_bash = pytest.mark.skipif(
    shutil.which("bash") is None, reason="needs bash, as YARN's launcher does"
)


def _launched(params: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the shell makes of the options, after Java's String.format, in YARN's launch script."""
    formatted = params % () if "%" in params else params
    # As ContainerLaunch writes it; the script stops at the first command that fails.
    script = f'set -o pipefail -e\nexec /bin/bash -c "echo java {formatted} Main"'
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=True
    )


def _echo(params: str, folder: Path) -> str:
    shown = _launched(params, folder).stdout.strip()
    return shown.removeprefix("java").removesuffix("Main").strip()


@with_bash
@pytest.mark.parametrize("jar", [f"mprof/{AGENT_JAR}", f"/{AGENT_JAR}"], ids=["linked", "on nodes"])
@pytest.mark.parametrize(
    "content",
    [None, b"", JAR[:-1], JAR + b"\0", b"A" + JAR[1:], bytes(len(JAR))],
    ids=["missing", "empty", "half", "longer", "damaged", "room for it"],
)
def test_a_jar_that_is_not_whole_leaves_the_task_without_options(
    tmp_path: Path, content: bytes | None, jar: str
) -> None:
    path = tmp_path / f"mprof/{AGENT_JAR}" if jar[0] != "/" else Path(f"{tmp_path}{jar}")
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_bytes(content)
    named = jar if jar[0] != "/" else str(path)

    done = _launched(profile_params({}, jar=named, jar_checksum=SUM, for_dumps=True), tmp_path)

    assert "java Main\n" == done.stdout
    assert f"mprof: not attached, because {named} is missing or not whole\n" == done.stderr


@with_bash
@pytest.mark.parametrize(
    ("options", "libraries", "is_attached"),
    [
        ("-XX:AOTCache=c.aot -XX:AOTMode=on", [], False),
        ("-XX:AOTCache=c.aot -XX:AOTMode=auto", [], True),
        ("-Xmx64m", ["modules"], False),
        ("-Xmx64m", ["modules", "libinstrument.so"], True),
        ("-Xmx64m", ["modules", "libinstrument.dylib"], True),
        ("-Xmx64m", ["rt.jar"], True),
    ],
)
def test_a_jvm_that_takes_no_agent_is_given_none(
    tmp_path: Path, options: str, libraries: list[str], is_attached: bool
) -> None:
    (tmp_path / "mprof").mkdir()
    (tmp_path / "mprof" / AGENT_JAR).write_bytes(JAR)
    (tmp_path / "lib").mkdir()
    for library in libraries:
        (tmp_path / "lib" / library).touch()
    params = profile_params({"mode": "watch"}, jar_checksum=SUM) % ()
    script = tmp_path / "launch_container.sh"
    script.write_text(
        f"#!/bin/bash\nset -o pipefail -e\nexport JAVA_HOME={tmp_path}\n"
        f'exec /bin/bash -c "echo java {options} {params} Main"\n'
    )

    done = subprocess.run(
        ["bash", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    agent = " -javaagent:./mprof/mprof-agent.jar=mode=watch" if is_attached else ""
    assert f"java {options}{agent} Main\n" == done.stdout
    assert ("not attached, because this JVM takes no agent" in done.stderr) != is_attached
    assert {"mode": "watch"} == settings_in(params)


@with_bash
@settings(max_examples=50)
@given(st.binary(max_size=300) | st.sampled_from([b"x" * 255, b"y" * 256, bytes(1 << 16)]))
def test_the_checksum_is_that_of_cksum(content: bytes) -> None:
    done = subprocess.run(["cksum"], input=content, capture_output=True, check=True)

    assert done.stdout.decode() == f"{checksum(content)}\n"


@with_bash
def test_a_jar_that_is_there_is_named_with_its_settings(tmp_path: Path) -> None:
    (tmp_path / "mprof").mkdir()
    (tmp_path / "mprof" / AGENT_JAR).write_bytes(JAR)

    shown = _echo(
        profile_params({"mode": "watch", "disk.percent": "80"}, jar_checksum=SUM), tmp_path
    )

    assert "-javaagent:./mprof/mprof-agent.jar=mode=watch,disk.percent=80" == shown


@with_bash
def test_profiled_tasks_keep_every_local_where_a_dump_finds_it(tmp_path: Path) -> None:
    (tmp_path / "mprof").mkdir()
    (tmp_path / "mprof" / AGENT_JAR).write_bytes(JAR)

    def options(mode: Literal["watch", "profile", "verify"]) -> str:
        overlay = inject_agent(
            "r1", "file:/s", jar_checksum=SUM, mode=mode, settings={}, with_plan=True
        ).overlay
        return _echo(overlay["mapreduce.task.profile.reduce.params"], tmp_path)

    assert "EliminateAllocations" not in options("watch")
    for mode in ("profile", "verify"):
        flags = options(mode).split()[:2]
        assert flags == ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:-EliminateAllocations"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, as YARN's launcher does")
@pytest.mark.parametrize(
    "value",
    ["a;touch planted;", "a&touch planted&", "$(touch planted)", "`touch planted`", "a|b>planted",
     "[::1]:8020/*?", "it's \"quoted\"", "${HOME}~/x", "a b\tc", "back\\slash", "jörg%d/%"],
)  # fmt: skip
def test_a_setting_arrives_as_it_is_through_both_shells(value: str, tmp_path: Path) -> None:
    jar = tmp_path / "a b;c" / AGENT_JAR
    jar.parent.mkdir()
    jar.write_text("")
    settings = {"mode": "watch", "capture": value}
    params = profile_params(settings, jar=str(jar), jar_checksum=checksum(b""))
    # ContainerLaunch.UnixShellScriptBuilder.command, of Hadoop 3.4.3
    script = f'exec /bin/bash -c "printf %s\\\\\\n {params % ()} end"'

    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)

    option, end, _ = done.stdout.rsplit("\n", 2)
    assert "end" == end
    assert f"-javaagent:{jar}=mode=watch,capture={value}" == option
    assert ["a b;c"] == [path.name for path in tmp_path.iterdir()]
    assert settings == settings_in(params)


def test_settings_that_an_administrator_wrote_by_hand_are_read() -> None:
    assert {"mode": "watch"} == settings_in(
        "-Xss1m -javaagent:./x/mprof-agent.jar=mode=watch -Dx='"
    )
    assert None is settings_in("-Xss1m")


def test_per_cent_signs_survive_string_format() -> None:
    assert "a%%b" in profile_params({"run": "a%b"}, jar_checksum=SUM)


def test_both_sides_get_ranges_and_parameters() -> None:
    # An unset one falls back to tasks 0-2 with an agent that no JVM since 9 has.
    overlay = inject_agent(
        "r1", "file:/s", jar_checksum=SUM, mode="watch", settings={}, with_plan=False
    ).overlay

    for side in ("maps", "reduces"):
        assert overlay[f"mapreduce.task.profile.{side}"]
    for side in ("map", "reduce"):
        assert overlay[f"mapreduce.task.profile.{side}.params"]


def test_watching_leaves_scheduling_as_the_user_has_it() -> None:
    overlay = inject_agent(
        "r1", "file:/s", jar_checksum=SUM, mode="watch", settings={}, with_plan=False
    ).overlay

    assert not [key for key in overlay if "task.profile" not in key]


def test_a_profiled_task_runs_once() -> None:
    overlay = inject_agent(
        "r1", "file:/s", jar_checksum=SUM, mode="profile", settings={}, with_plan=True
    ).overlay

    assert "1" == overlay["mapreduce.map.maxattempts"] == overlay["mapreduce.reduce.maxattempts"]
    assert "false" == overlay["mapreduce.map.speculative"]
    assert "false" == overlay["mapreduce.job.ubertask.enable"]


def test_the_plan_is_named_only_where_there_is_one() -> None:
    params = "mapreduce.task.profile.params"
    with_plan = inject_agent(
        "r1", "file:/s", jar_checksum=SUM, mode="profile", settings={}, with_plan=True
    ).overlay
    without = inject_agent(
        "r1", "file:/s", jar_checksum=SUM, mode="watch", settings={}, with_plan=False
    ).overlay

    assert "plan=mprof/mprof.plan" in with_plan[params]
    assert "plan=" not in without[params]


def test_the_list_of_cache_files_is_the_users_own() -> None:
    # A mapper may take the first entry of getCacheFiles() as its table.
    way = inject_agent(
        "r1", "file:/s", jar_checksum=SUM, mode="watch", settings={}, with_plan=False
    )

    assert "mapreduce.job.cache.files" not in {**way.overlay, **way.append}
    assert "file:/s/mprof.zip#mprof" == way.append["mapreduce.job.cache.archives"]


def test_what_a_client_finds_out_about_the_archive_is_written_beside_it() -> None:
    # Hadoop's LocalResourceBuilder fails without one entry an archive in each of these lists.
    facts = archive_facts(modified_ms=1_700_000_000_123, size_bytes=456)

    name = "mapreduce.job.cache.archives"
    assert facts == {
        f"{name}.timestamps": "1700000000123",
        f"{name}.filesizes": "456",
        f"{name}.visibilities": "false",
    }
