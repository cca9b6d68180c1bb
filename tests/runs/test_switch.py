"""The cluster-wide switch: its properties, what it needs on the cluster, and what doctor says."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from mprof.errors import ClusterError, EvidenceError, UsageError
from mprof.hadoop import Cluster, FileStatus, SiteProperties
from mprof.hadoop.values import Space
from mprof.runs import agent_archive
from mprof.runs.agent_injection import checksum, settings_in
from mprof.runs.switch import (
    Places,
    Switch,
    checked_places,
    checked_share,
    examine_switch,
    examining,
    install,
    installed,
    installing,
    switch_in,
)


def _small_jar(content: bytes = b"class") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("org/mprof/agent/Premain.class", content)
    return file.getvalue()


JAR = _small_jar()
SUM = checksum(JAR)
ON_HDFS = Switch("hdfs://nn/m/1/mprof-agent.zip", None, SUM, "hdfs://nn/c")
ON_NODES = Switch(None, "/opt/mprof/mprof-agent.jar", SUM, "hdfs://nn/c")
IN_PART = replace(ON_HDFS, share=0.05)
HERE = Places(agent="hdfs://nn/m", jar=None, captures="hdfs://nn/c")
OPEN = 0o755
AREA = 0o1777


def values(switch: Switch, **more: str) -> dict[str, str]:
    changed = {key.replace("_", "."): value for key, value in more.items()}
    return {**switch.properties, **switch.lists, **changed}


class Files:
    """A cluster of which only its files are there: URI -> mode."""

    user = "admin"

    def __init__(self, site: dict[str, str], modes: dict[str, int], final: str = "") -> None:
        self.site = SiteProperties(values=site, final=frozenset(final.split()))
        self.modes = {"hdfs://nn/": OPEN, **modes}
        self.owners: dict[str, str] = {}
        self.used = 0
        self.jar = JAR
        self.version = "3.4.3"
        self.patched = True
        self.installed = b"patched"
        self.further: tuple[str, ...] = ()

    def patch_classes(self, agent: Path, target: Path) -> int:
        assert agent.name == "mprof-agent.jar"
        if not self.patched:
            raise ClusterError("no such class", next_step="look")
        target.write_bytes(b"patched")
        return 1

    def site_properties(self) -> SiteProperties:
        return self.site

    def exists(self, uri: str) -> bool:
        return uri in self.modes

    def status(self, uri: str) -> FileStatus:
        if uri not in self.modes:
            raise EvidenceError(f"{uri} does not exist", next_step="check the name")
        return FileStatus(
            uri,
            is_folder=not uri.endswith(".zip"),
            size_bytes=56,
            modified_ms=78,
            owner=self.owners.get(uri, "hdfs"),
            mode=self.modes[uri],
        )

    def space(self, uri: str) -> Space:
        return Space(used_bytes=self.used, usable_bytes=100 - self.used)

    def make_folder(self, uri: str, mode: int) -> str:
        self.modes[uri] = mode
        return uri

    def put(self, file: Path, uri: str, mode: int) -> None:
        with zipfile.ZipFile(file) as packed:
            self.jar = packed.read("mprof-agent.jar")
            self.members = packed.namelist()
        self.modes[uri] = mode

    def fetch(self, uri: str, into: Path) -> Path:
        with zipfile.ZipFile(into / "a.zip", "w") as packed:
            packed.writestr("mprof-agent.jar", self.jar)
            packed.writestr("mprof-patched.zip", self.installed)
            for name in self.further:
                packed.writestr(name, b"code of somebody")
        return into / "a.zip"


MODES = {
    "hdfs://nn/m": OPEN,
    "hdfs://nn/m/1": OPEN,
    "hdfs://nn/m/1/mprof-agent.zip": 0o444,
    "hdfs://nn/c": AREA,
}


@pytest.fixture(autouse=True)
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The agent's jar of this mprof, one class of it."""
    file = tmp_path / "mprof-agent.jar"
    file.write_bytes(JAR)
    monkeypatch.chdir(tmp_path)
    for module in (agent_archive, examining, installing):
        monkeypatch.setattr(module, "agent_jar", lambda: file)
    return file


def examined(files: Files) -> dict[str, bool | None]:
    return {one.name.removeprefix("switch: "): one.ok for one in checks(files)}


def checks(files: Files) -> tuple:  # type: ignore[type-arg]
    found = examine_switch(cast("Cluster", files))
    assert all(one.next_step for one in found if one.ok is not True)
    return found


ALL_WELL = {
    "cluster-wide switch": True,
    "properties": True,
    "users": True,
    "agent": True,
    "captures": True,
}


# --- properties ---------------------------------------------------------------------------------


@pytest.mark.parametrize("switch", [ON_HDFS, ON_NODES, IN_PART, replace(ON_NODES, share=1.0)])
def test_a_job_that_has_the_properties_tells_where_its_captures_are(switch: Switch) -> None:
    assert switch == switch_in(values(switch))


def test_the_agents_archive_is_told_from_the_jobs_own() -> None:
    archives = f"hdfs://nn/mprof-agent.zip#tz,{ON_HDFS.archive}#mprof-agent, x.zip"

    assert ON_HDFS == switch_in(values(ON_HDFS, mapreduce_job_cache_archives=archives))


def test_a_site_without_the_agent_is_not_switched_on() -> None:
    assert switch_in({}) is None
    assert switch_in({"mapreduce.task.profile.params": "-agentlib:hprof=cpu=samples"}) is None


def test_a_users_own_parameters_take_the_place_of_both_sides() -> None:
    # Hadoop asks for those of the side, whose value refers to those of both.
    for side in ("map", "reduce"):
        own = ON_HDFS.properties[f"mapreduce.task.profile.{side}.params"]
        assert "${mapreduce.task.profile.params}" == own


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, as YARN's launcher does")
@pytest.mark.parametrize("switch", [ON_HDFS, ON_NODES, replace(ON_NODES, share=1.0)])
def test_where_the_jar_is_missing_the_task_starts_without_an_option(
    switch: Switch, tmp_path: Path
) -> None:
    params = switch.properties["mapreduce.task.profile.params"]
    done = subprocess.run(["bash", "-c", f"echo {params}"], cwd=tmp_path, capture_output=True)

    assert b"\n" == done.stdout


def test_the_agent_is_told_the_area_and_a_smaller_bound() -> None:
    settings = settings_in(ON_NODES.properties["mapreduce.task.profile.params"])

    assert settings == {"mode": "watch", "capture.area": "hdfs://nn/c", "events.bytes": "4194304"}


@pytest.mark.parametrize("path", ["/a b", "/a,b", "/$HOME/x", "/a'b", "", "/"])
def test_a_path_that_a_shell_would_change_is_refused(path: str) -> None:
    for option in ("agent", "captures"):
        with pytest.raises(UsageError, match=f"--{option}"):
            checked_places(**{"agent": "/m", "jar": None, "captures": "/c", option: path})


@pytest.mark.parametrize("jar", ["mprof-agent.jar", "/opt/agent.jar", "/o p/mprof-agent.jar"])
def test_a_jar_that_the_options_could_not_name_is_refused(jar: str) -> None:
    with pytest.raises(UsageError, match="--jar-on-nodes"):
        checked_places(agent="/m", jar=jar, captures="/c")


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("0.01 %", 0.0001), ("12.5%", 0.125), ("100%", 1.0)]
)
def test_a_share_is_given_in_per_cent(text: str, share: float) -> None:
    assert share == checked_share(text)


@pytest.mark.parametrize("text", ["5", "0%", "0.001%", "101%", "-5%", "five%", "1e1%", ""])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--share"):
        checked_share(text)


# --- installing ---------------------------------------------------------------------------------


def test_what_is_missing_is_made_once_and_each_version_beside_the_others(jar: Path) -> None:
    files = Files({}, {})
    cluster = cast("Cluster", files)

    places = checked_places(agent="hdfs://nn/m/", jar=None, captures="hdfs://nn/c/")
    first = install(cluster, places)
    again = install(cluster, HERE)
    jar.write_bytes(_small_jar(b"newer"))
    newer = install(cluster, HERE)
    files.version = "3.4.4"
    newest = install(cluster, HERE)

    assert AREA == files.modes["hdfs://nn/c"]
    assert 0o444 == files.modes[first.switch.archive or ""]
    assert [2, 0, 1, 1] == [len(one.made) for one in (first, again, newer, newest)]
    assert first.switch == again.switch
    assert first.switch.archive != newer.switch.archive
    assert (first.switch.archive or "") in files.modes


def test_classes_are_patched_for_the_archive() -> None:
    files = Files({}, {})

    archived = install(cast("Cluster", files), HERE)

    assert files.members == ["mprof-agent.jar", "mprof-patched.zip"]
    assert archived.for_nodes is None


def test_what_belongs_on_each_node_is_put_into_one_folder(tmp_path: Path) -> None:
    cluster = cast("Cluster", Files({}, {}))
    places = replace(HERE, agent=None, jar="/opt/mprof-agent.jar")

    first = install(cluster, places)
    again = install(cluster, places)

    assert first.for_nodes is not None
    assert first.for_nodes == again.for_nodes
    assert first.for_nodes.parent == tmp_path
    found = {file.name: file.read_bytes() for file in first.for_nodes.iterdir()}
    assert found == {"mprof-agent.jar": JAR, "mprof-patched.zip": b"patched"}


def test_an_archive_without_patched_classes_is_not_put_where_it_would_stay() -> None:
    files = Files({}, {})
    files.patched = False

    with pytest.raises(ClusterError, match="no such class"):
        install(cast("Cluster", files), HERE)

    assert files.modes == {"hdfs://nn/": OPEN}


def test_nothing_is_switched_on_that_is_not_installed() -> None:
    files = cast("Cluster", Files({}, {"hdfs://nn/c": AREA}))

    with pytest.raises(ClusterError, match="not installed") as missing:
        installed(files, HERE)
    assert "mprof switch install" in missing.value.next_step

    on_nodes = installed(files, replace(HERE, agent=None, jar="/opt/mprof-agent.jar"))
    assert "/opt/mprof-agent.jar" == on_nodes.jar


def test_beside_the_archive_stands_what_a_local_job_of_pig_needs_to_fetch_it() -> None:
    switch = install(cast("Cluster", Files({}, dict(MODES))), HERE).switch

    name = "mapreduce.job.cache.archives"
    assert (switch.lists[f"{name}.timestamps"], switch.lists[f"{name}.filesizes"]) == ("78", "56")
    assert switch.lists[name].startswith(f"{switch.archive}#")
    assert (
        install(
            cast("Cluster", Files({}, dict(MODES))),
            replace(HERE, agent=None, jar="/opt/a.jar"),
        ).switch.lists
        == {}
    )


def test_an_area_that_is_not_open_to_all_is_refused() -> None:
    with pytest.raises(ClusterError, match="755"):
        install(cast("Cluster", Files({}, {"hdfs://nn/c": 0o755})), replace(HERE, agent=None))


# --- what somebody else could have written --------------------------------------------------------


def planted() -> tuple[Files, str]:
    """All that is needed, as this mprof installs it, and the archive's name."""
    files = Files({}, {})
    archive = install(cast("Cluster", files), HERE).switch.archive or ""
    files.modes |= dict.fromkeys(("hdfs://nn/m", archive.rpartition("/")[0]), OPEN)
    assert install(cast("Cluster", files), HERE).made == ()
    return files, archive


def refused(files: Files, says: str) -> None:
    """By install, by on, and by doctor of a cluster that is on."""
    for command in (install, installed):
        with pytest.raises(ClusterError, match=says):
            command(cast("Cluster", files), HERE)


@pytest.mark.parametrize("step", ["hdfs://nn/m", "the version's", "the archive"])
@pytest.mark.parametrize("mode", [None, 0o757, 0o775])
def test_an_archive_that_others_could_have_written_is_neither_taken_nor_said_to_be_well(
    step: str, mode: int | None
) -> None:
    files, archive = planted()
    step = {"the version's": archive.rpartition("/")[0], "the archive": archive}.get(step, step)
    if mode is None:
        files.owners[step] = "mallory"
    else:
        files.modes[step] = mode

    says = f"{step} belongs to mallory" if mode is None else f"may write to {step}"
    refused(files, says)
    switch = replace(ON_HDFS, archive=archive)
    files.site = SiteProperties(values=values(switch), final=frozenset())
    assert {**ALL_WELL, "agent": False} == examined(files)
    (found,) = [one.found for one in checks(files) if one.name == "switch: agent"]
    assert says in found


def test_a_folder_with_the_sticky_bit_on_the_way_is_no_danger_to_what_is_there() -> None:
    files, archive = planted()
    files.modes["hdfs://nn/m"] = 0o1777

    assert archive == installed(cast("Cluster", files), HERE).archive


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_nothing_is_put_where_somebody_else_could_put_it(mode: int) -> None:
    files = Files({}, {"hdfs://nn/m": mode})

    with pytest.raises(ClusterError, match="everybody may write to hdfs://nn/m"):
        install(cast("Cluster", files), HERE)
    assert set(files.modes) == {"hdfs://nn/", "hdfs://nn/m"}


def test_the_administrator_who_installs_it_is_trusted_and_nobody_else() -> None:
    files, archive = planted()
    files.owners[archive] = files.user
    assert archive == installed(cast("Cluster", files), HERE).archive

    files.user = "carol"
    refused(files, f"{archive} belongs to admin")


@pytest.mark.parametrize("further", ["evil.class", "mprof-agent.jar", "lib/x.jar"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_more_in_it_than_is_put_there_is_not_taken(further: str) -> None:
    files, _ = planted()
    files.further = (further,)

    refused(files, "does not hold the agent of this mprof")


def test_an_archive_without_the_agent_of_this_mprof_is_not_taken() -> None:
    files, _ = planted()
    files.jar = b"somebody's"

    refused(files, "does not hold the agent of this mprof")


@pytest.mark.parametrize("step", ["hdfs://nn/", "hdfs://nn/c"])
def test_a_capture_area_that_somebody_else_could_empty_is_not_taken(step: str) -> None:
    files, _ = planted()
    if step == "hdfs://nn/":
        files.modes[step] = 0o777
    else:
        files.owners[step] = "mallory"

    refused(files, step)
    files.site = SiteProperties(values=values(ON_NODES), final=frozenset())
    assert examined(files)["captures"] is False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_the_files_for_the_nodes_are_not_put_into_a_folder_of_somebody_elses(
    tmp_path: Path,
) -> None:
    cluster = cast("Cluster", Files({}, {}))
    places = replace(HERE, agent=None, jar="/opt/mprof-agent.jar")
    folder = install(cluster, places).for_nodes
    assert folder is not None
    os.chown(folder, 65534, -1)
    (folder / "mprof-agent.jar").unlink()
    (folder / "mprof-agent.jar").symlink_to(tmp_path / "of-root")

    with pytest.raises(ClusterError, match="others could have written it"):
        install(cluster, places)
    assert not (tmp_path / "of-root").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_jar_on_this_node_that_others_could_have_written_is_neither_taken_nor_well(
    jar: Path,
) -> None:
    files = Files({}, {"hdfs://nn/c": AREA})
    here = replace(ON_NODES, jar=str(jar))
    files.site = SiteProperties(values=values(here), final=frozenset())
    jar.with_name("mprof-patched.zip").write_bytes(b"patched")
    assert ALL_WELL == examined(files)

    os.chown(jar.with_name("mprof-patched.zip"), 65534, -1)
    assert {**ALL_WELL, "agent": False} == examined(files)
    os.chown(jar, 65534, -1)
    with pytest.raises(ClusterError, match="others could have written it"):
        installed(cast("Cluster", files), replace(HERE, agent=None, jar=str(jar)))


# --- doctor -------------------------------------------------------------------------------------


def test_a_cluster_that_is_off_is_well() -> None:
    assert {"cluster-wide switch": True} == examined(Files({}, {}))


def test_a_switch_with_all_it_needs_is_well() -> None:
    assert ALL_WELL == examined(Files(values(ON_HDFS), dict(MODES)))


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"mapreduce_task_profile": "false"}, "cluster-wide switch"),
        ({"mapreduce_map_env": "A=b,MPROF_OFF=1"}, "cluster-wide switch"),
        ({"mapreduce_reduce_java_opts": "-Xmx1g -Dmprof.off=true"}, "cluster-wide switch"),
        ({"mapreduce_task_profile_maps": ""}, "properties"),
        ({"mapreduce_task_profile_reduce_params": "-agentlib:hprof"}, "properties"),
        ({"mapreduce_job_cache_archives": "hdfs://nn/other.zip#other"}, "agent"),
    ],
)
def test_an_override_is_named(changed: dict[str, str], wrong: str) -> None:
    files = Files(values(ON_HDFS, **changed), dict(MODES))

    assert {**ALL_WELL, wrong: False} == examined(files)
    (found,) = [one.found for one in checks(files) if one.name.endswith(wrong)]
    assert wrong == "agent" or next(iter(changed)).replace("_", ".") in found


def test_a_range_that_is_not_set_is_said_to_kill_tasks() -> None:
    site = values(ON_HDFS)
    del site["mapreduce.task.profile.reduces"]

    (found,) = [one.found for one in checks(Files(site, dict(MODES))) if "prop" in one.name]

    assert "mapreduce.task.profile.reduces" in found
    assert "they die" in found


def test_final_properties_leave_users_no_way_out() -> None:
    files = Files(values(ON_HDFS), dict(MODES), final="mapreduce.task.profile x")

    assert {**ALL_WELL, "users": False} == examined(files)


@pytest.mark.parametrize(
    ("path", "mode", "wrong"),
    [
        ("hdfs://nn/m/1/mprof-agent.zip", None, "agent"),
        ("hdfs://nn/m/1/mprof-agent.zip", 0o400, "agent"),
        ("hdfs://nn/m", 0o750, "agent"),
        ("hdfs://nn/c", 0o777, "captures"),
        ("hdfs://nn/c", 0o1755, "captures"),
        ("hdfs://nn/c", None, "captures"),
    ],
)
def test_what_is_missing_or_closed_is_named(path: str, mode: int | None, wrong: str) -> None:
    modes = {key: value for key, value in MODES.items() if key != path}
    files = Files(values(ON_HDFS), modes if mode is None else {**modes, path: mode})

    assert {**ALL_WELL, wrong: False} == examined(files)
    (found,) = [one.found for one in checks(files) if one.name.endswith(wrong)]
    assert path in found


@pytest.mark.parametrize(
    ("asked_for", "says"),
    [(b"older", "is not the agent of this mprof"), (JAR, "tasks run without the agent")],
)
def test_the_agent_of_another_version_is_not_this_ones(asked_for: bytes, says: str) -> None:
    files = Files(values(replace(ON_HDFS, jar_checksum=checksum(asked_for))), dict(MODES))
    files.jar = b"older"

    assert {**ALL_WELL, "agent": False} == examined(files)
    (found,) = [one.found for one in checks(files) if one.name == "switch: agent"]
    assert says in found


@pytest.mark.parametrize(("used", "ok"), [(79, True), (80, False)])
def test_an_area_that_is_too_full_for_dumps_is_said_so(used: int, ok: bool) -> None:
    files = Files(values(ON_HDFS), dict(MODES))
    files.used = used

    assert {**ALL_WELL, "captures": ok} == examined(files)


def test_classes_that_each_task_patches_itself_are_told() -> None:
    files = Files(values(ON_HDFS), dict(MODES))
    files.installed = b"of an older Hadoop"

    assert {**ALL_WELL, "agent": None} == examined(files)


def test_a_jar_on_the_nodes_is_not_known_from_a_machine_without_it(jar: Path) -> None:
    modes = {"hdfs://nn/c": AREA}
    here = replace(ON_NODES, jar=str(jar))

    assert {**ALL_WELL, "agent": None} == examined(Files(values(ON_NODES), modes))
    assert {**ALL_WELL, "agent": None} == examined(Files(values(here), modes))
    jar.with_name("mprof-patched.zip").write_bytes(b"patched")
    assert ALL_WELL == examined(Files(values(here), modes))
