"""The rows of the matrix: settings in which a job is run with and without mprof."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROWS", "SSL_SHUFFLE", "Row"]

COUNT = ("count",)
BOTH = ("count", "fill-map")


@dataclass(frozen=True, slots=True)
class Row:
    """One setting.

    Attributes:
        group: heading on the page.
        name: what is set, as the page shows it; unique.
        options: of the job, with the names of `Things` in braces.
        jobs: kinds of jobs (``jobs/Jobs.java``) that are run in it.
        tamper: a way of `tampering.WAYS`, "" for none.
        cluster: properties that the cluster is started with are those of this name.
        is_off: whether the user switches the agent off, which leaves no trace.
    """

    group: str
    name: str
    options: tuple[str, ...] = ()
    jobs: tuple[str, ...] = COUNT
    tamper: str = ""
    cluster: str = ""
    is_off: bool = False


SSL_SHUFFLE = {
    "mapreduce.shuffle.ssl.enabled": "true",
    "hadoop.ssl.require.client.cert": "false",
    "hadoop.ssl.hostname.verifier": "ALLOW_ALL",
    **{
        f"ssl.{side}.{store}.{what}": value
        for side in ("server", "client")
        for store in ("keystore", "truststore")
        for what, value in (("location", "{keystore}"), ("password", "changeit"), ("type", "jks"))
    },
    "ssl.server.keystore.keypassword": "changeit",
    "ssl.client.keystore.keypassword": "changeit",
}


def _opts(words: str, *, heap: str = "-Xmx200m") -> tuple[str, ...]:
    """JVM options of both kinds of tasks."""
    return tuple(f"-Dmapreduce.{side}.java.opts={heap} {words}".strip() for side in _SIDES)


def _env(*pairs: str) -> tuple[str, ...]:
    """Environment of both kinds of tasks."""
    return tuple(f"-Dmapreduce.{side}.env={','.join(pairs)}" for side in _SIDES)


_NATIVE = "org.apache.hadoop.mapred.nativetask.NativeMapOutputCollectorDelegator"
_IN_JAVA = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer"
_SIDES = ("map", "reduce")
_IN_25 = _env("JAVA_HOME={jdk25}")
# Hadoop adds --add-opens to each task, with which no JVM takes an ahead-of-time cache; its own
# application master cannot do without.
_AOT = (
    *_IN_25,
    "-Dmapreduce.jvm.add-opens-as-default=false",
    "-Dyarn.app.mapreduce.am.command-opts=-Xmx384m --add-opens=java.base/java.lang=ALL-UNNAMED",
)
_USUAL = _opts("")
_OTEL = "-javaagent:{otel} -Dotel.sdk.disabled=false -Dotel.traces.exporter=none " + " ".join(
    f"-Dotel.{kind}.exporter=none" for kind in ("metrics", "logs")
)
_JACOCO = "-javaagent:{jacoco}=output=none"
_SPECULATION = (
    "-Dmapreduce.map.speculative=true",
    "-Dmapreduce.job.speculative.retry-after-no-speculate=1000",
    "-Dmapreduce.job.speculative.retry-after-speculate=1000",
    "-Dmapreduce.job.speculative.minimum-allowed-tasks=2",
    "-Dmapreduce.job.speculative.slowtaskthreshold=0.1",
    "-Dmapreduce.task.progress-report.interval=500",
    "-Dmapreduce.input.fileinputformat.split.maxsize=50000",
)
_LARGE = tuple(f"-Dmapreduce.{side}.memory.mb=2048" for side in _SIDES)
_MANAGER = "-Djava.security.manager -Djava.security.policy="
_STRICT = f"-Dcompatibility.lib={{lib}} {_MANAGER}"
_MODULES = (
    "java.base,java.desktop,java.logging,java.management,java.naming,java.security.jgss,"
    "java.security.sasl,java.sql,java.xml,jdk.security.auth,jdk.unsupported"
)

ROWS: tuple[Row, ...] = (
    Row("As usual", "nothing", _USUAL, (*BOTH, "fill-reduce", "throw", "chain", "threads")),
    *(
        Row("JDK of the tasks", f"JDK {n}", (*_USUAL, *_env(f"JAVA_HOME={{jdk{n}}}")), BOTH)
        for n in (8, 11, 17, 21, 25)
    ),
    # ---- the agent's own files -----------------------------------------------------------------
    *(
        Row("The agent's jar", name, _USUAL, jobs, tamper=way)
        for name, way, jobs in (
            ("missing on its way", "missing", BOTH),
            ("empty", "empty", COUNT),
            ("half copied", "half", BOTH),
            ("damaged, of the same length", "garbled", COUNT),
            ("of another version", "another-version", COUNT),
            ("a class missing inside", "class-missing", COUNT),
        )
    ),
    *(
        Row("The agent's jar, damaged where mprof is installed", name, _USUAL, COUNT, tamper=way)
        for name, way in (
            ("half of it", "installed-half"),
            ("garbled", "installed-garbled"),
            ("without the class that the JVM starts", "installed-without-start"),
            ("without a class that it needs first", "installed-without-settings"),
            ("without the classes that hooks call", "installed-without-hooks"),
        )
    ),
    *(
        Row("The archive of patched classes", name, _USUAL, COUNT, tamper=way)
        for name, way in (
            ("patched classes missing", "patched-missing"),
            ("patched classes empty", "patched-empty"),
            ("patched classes half copied", "patched-half"),
            ("patched classes damaged", "patched-garbled"),
        )
    ),
    Row(
        "Other agents",
        "a second copy of this agent",
        _opts("-javaagent:{agent}=mode=watch"),
        BOTH,
    ),
    Row("Other agents", "OpenTelemetry before it", _opts(_OTEL), BOTH),
    Row(
        "Other agents",
        "OpenTelemetry after it (_JAVA_OPTIONS)",
        (*_USUAL, *_env(f"_JAVA_OPTIONS={_OTEL}")),
        BOTH,
    ),
    Row("Other agents", "JaCoCo before it", _opts(_JACOCO), BOTH),
    Row(
        "Other agents",
        "JaCoCo after it (_JAVA_OPTIONS)",
        (*_USUAL, *_env(f"_JAVA_OPTIONS={_JACOCO}")),
        BOTH,
    ),
    Row("Other agents", "JaCoCo and OpenTelemetry before it", _opts(f"{_JACOCO} {_OTEL}")),
    # ---- Hadoop --------------------------------------------------------------------------------
    Row(
        "Hadoop",
        "mapreduce.job.classloader=true",
        (*_USUAL, "-Dmapreduce.job.classloader=true"),
        BOTH,
    ),
    Row(
        "Hadoop",
        "nativetask, falling back to Java's collector",
        (
            "-libjars={nativetask}",
            *_USUAL,
            f"-Dmapreduce.job.map.output.collector.class={_NATIVE},{_IN_JAVA}",
        ),
    ),
    Row(
        "Hadoop",
        "mapreduce.job.encrypted-intermediate-data=true",
        (*_USUAL, "-Dmapreduce.job.encrypted-intermediate-data=true"),
        BOTH,
    ),
    Row("Hadoop", "speculation, with a straggler", (*_USUAL, *_SPECULATION), ("straggle",)),
    Row("Hadoop", "uber mode", (*_USUAL, "-Dmapreduce.job.ubertask.enable=true")),
    Row("Hadoop", "the local job runner", ("-Dmapreduce.framework.name=local",)),
    Row("Hadoop", "streaming", _USUAL, ("streaming",)),
    Row(
        "Hadoop",
        "compressed map output",
        (
            *_USUAL,
            "-Dmapreduce.map.output.compress=true",
            "-Dmapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.DefaultCodec",
        ),
    ),
    Row("Hadoop", "no reducer", (*_USUAL, "-Dmapreduce.job.reduces=0"), BOTH),
    # ---- the JVM -------------------------------------------------------------------------------
    *(
        Row("JVM flags", f"-XX:+Use{name}GC", _opts(f"-XX:+Use{name}GC"), BOTH)
        for name in ("Serial", "Parallel", "G1", "Shenandoah")
    ),
    Row("JVM flags", "-XX:+UseZGC", (*_opts("-XX:+UseZGC"), *_LARGE), BOTH),
    Row(
        "JVM flags",
        "-XX:+UseEpsilonGC",
        (*_opts("-XX:+UnlockExperimentalVMOptions -XX:+UseEpsilonGC", heap="-Xmx700m"), *_LARGE),
        BOTH,
    ),
    *(
        Row("JVM flags", name, (*_opts(words), *env), jobs)
        for name, words, env, jobs in (
            ("-XX:+ExitOnOutOfMemoryError", "-XX:+ExitOnOutOfMemoryError", (), BOTH),
            ("-XX:+CrashOnOutOfMemoryError", "-XX:+CrashOnOutOfMemoryError", (), BOTH),
            (
                "-XX:OnOutOfMemoryError='kill -9 %p'",
                "-XX:OnOutOfMemoryError='kill -9 %p'",
                (),
                BOTH,
            ),
            ("-XX:+HeapDumpOnOutOfMemoryError", "-XX:+HeapDumpOnOutOfMemoryError", (), BOTH),
            (
                "-XX:MaxDirectMemorySize=8m",
                "-XX:MaxDirectMemorySize=8m",
                (),
                ("count", "fill-direct"),
            ),
            ("-XX:MaxMetaspaceSize=64m", "-XX:MaxMetaspaceSize=64m", (), COUNT),
            ("-XX:+DisableAttachMechanism", "-XX:+DisableAttachMechanism", (), BOTH),
            ("-XX:-UsePerfData", "-XX:-UsePerfData", (), COUNT),
            ("-XX:-UseCompressedOops", "-XX:-UseCompressedOops", (), BOTH),
            ("-Xcheck:jni", "-Xcheck:jni", (), COUNT),
            ("-Xint", "-Xint", (), COUNT),
            ("-Xshare:off", "-Xshare:off", (), COUNT),
            ("-Xshare:on", "-Xshare:on", (), COUNT),
            (
                "-Xshare:on with a CDS archive of its own, JDK 17",
                "-Xshare:on -XX:SharedArchiveFile={cds17}",
                _env("JAVA_HOME={jdk17}"),
                COUNT,
            ),
            (
                "-Xshare:on with a CDS archive of its own, JDK 25",
                "-Xshare:on -XX:SharedArchiveFile={cds25}",
                _IN_25,
                COUNT,
            ),
            ("-XX:AOTCache, JDK 25", "-XX:AOTCache={aot25}", _AOT, BOTH),
            (
                "-XX:AOTCache and -XX:AOTMode=on, JDK 25",
                "-XX:AOTCache={aot25} -XX:AOTMode=on",
                _AOT,
                BOTH,
            ),
            ("-XX:+UseCompactObjectHeaders, JDK 25", "-XX:+UseCompactObjectHeaders", _IN_25, BOTH),
            ("no module java.instrument", f"--limit-modules={_MODULES}", (), COUNT),
        )
    ),
    *(
        Row("A security manager", name, (*_opts(words), *_env(f"JAVA_HOME={{{jdk}}}")), jobs)
        for name, words, jdk, jobs in (
            ("everything allowed, JDK 11", f"{_MANAGER}={{policy}}", "jdk11", BOTH),
            ("everything allowed, JDK 17", f"{_MANAGER}={{policy}}", "jdk17", BOTH),
            ("nothing for the agent, JDK 17", f"{_STRICT}={{strict_policy}}", "jdk17", BOTH),
            (
                "-Djava.security.manager=allow, JDK 17",
                "-Djava.security.manager=allow",
                "jdk17",
                COUNT,
            ),
        )
    ),
    *(
        Row("Options and variables of the user's", name, options)
        for name, options in (
            ("JAVA_TOOL_OPTIONS", (*_USUAL, *_env("JAVA_TOOL_OPTIONS=-Dcompatibility.shown=tool"))),
            ("JDK_JAVA_OPTIONS", (*_USUAL, *_env("JDK_JAVA_OPTIONS=-Dcompatibility.shown=java"))),
            ("a value with a space in quotes", _opts("-Dcompatibility.shown='a b'")),
            ("a value with $, ; and & in quotes", _opts(r"-Dcompatibility.shown='a;b&c|\$d'")),
            ("a value with a per cent sign", _opts("-Dcompatibility.shown=100%d%%s")),
            ("a value with double quotes", _opts(r"-Dcompatibility.shown='say \"so\"'")),
            ("a value of a command", _opts("-Dcompatibility.shown=$(echo made)")),
            ("-XX:Flags, a file that is not there", _opts("-XX:Flags=nowhere")),
        )
    ),
    *(
        Row("The kill switch", name, options, is_off=True)
        for name, options in (
            ("-Dmprof.off=true", _opts("-Dmprof.off=true")),
            ("MPROF_OFF=1", (*_USUAL, *_env("MPROF_OFF=1"))),
        )
    ),
    *(
        Row("What a task may not do", name, (*_USUAL, *_env(f"JAVA_HOME={{{home}}}")), BOTH)
        for name, home in (
            ("open more than 96 files", "few_files"),
            ("start more than 40 threads", "few_threads"),
            ("write more than 16 kB of logs", "no_space"),
            ("write to its log folder", "read_only"),
        )
    ),
    Row("Hadoop", "encrypted shuffle (SSL)", _USUAL, ("count", "fill-reduce"), cluster="ssl"),
)
