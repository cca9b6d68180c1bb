"""What fails because of a port, a name or a realm of the machine itself, whatever the memory."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]

# org.apache.spark.internal.config.UI, .package: of the services that bind a port of their own
_PORTS_OF_SPARK: Final = {
    "SparkUI": "spark.ui.port",
    "sparkDriver": "spark.driver.port",
    "org.apache.spark.network.netty.NettyBlockTransferService": "spark.blockManager.port",
}


def _in_use(found: re.Match[str], text: str) -> SaidOfEnd:
    service, tries, first = found["service"], found["tries"], found["first"]
    if service is None:
        where = _AT.search(text)
        at = f" {where[1]}" if where is not None else ""
        return SaidOfEnd(
            f"The process asked for a port of its machine{at} that another process has already, "
            "as a rule because the same program was started twice, or has not ended yet. No memory "
            "had run out.",
            "ss -ltnp on that machine, as root, shows who listens at it.",
        )
    name = _PORTS_OF_SPARK.get(service)
    own = f"{name}=0 takes any free port; " if name is not None else ""
    unless = ", and spark.ui.enabled=false does without the page" if service == "SparkUI" else ""
    last = f" to {int(first) + int(tries)}" if first and tries else ""
    tried = f" from {first}{last}" if first else ""
    return SaidOfEnd(
        f"Spark found no free port for its service {service}: all that it tried{tried} are in use "
        "on that machine, as a rule by other programs of Spark. What asked for it did not "
        f"start; no memory had run out. {own}spark.port.maxRetries (16) is how many it tries"
        f"{unless}.",
        "ss -ltnp on that machine, as root, shows who listens at them.",
    )


def _not_own(found: re.Match[str], _text: str) -> SaidOfEnd:
    of_spark = (
        " Of a driver of Spark spark.driver.bindAddress, or SPARK_LOCAL_IP of the machine, gives "
        "it one of its own."
        if found["service"]
        else ""
    )
    return SaidOfEnd(
        "The process asked for an address that its machine does not have, as a rule because its "
        "own host name leads to another one (/etc/hosts, DNS, a VPN)."
        f"{of_spark} No memory had run out.",
        "getent hosts $(hostname), and ip addr, on that machine, show whether the two agree.",
    )


def _driver(found: re.Match[str], _text: str) -> SaidOfEnd:
    at = f" at {found[1]}" if found[1] else ""
    return SaidOfEnd(
        f"The application master of Spark could not reach the driver{at}: in client mode that is "
        "the program on the machine that submitted it. It had ended already, its address is not "
        "known on the nodes, or a firewall is between. No memory of the application master had "
        "run out.",
    )


def _realm(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Java found no Kerberos realm: the krb5.conf that the process reads is missing on that "
        "machine, is another one, or has no default_realm. -Djava.security.krb5.conf=FILE in the "
        "JVM's options names it; the file has to lie there on the machine on which the process "
        "runs, of an application master or a driver in cluster mode on every node. No memory had "
        "run out."
    )


_AT: Final = re.compile(
    r"(?:[Bb]ind(?:ing)? (?:to|on)|Problem binding to) \[?(\S{1,120}?:\d{1,5})\b"
)

ENDS: Final = (
    KnownEnd(
        id="port_in_use",
        title="A port that the process wants is in use",
        words=(
            r"Address already in use(?: ?\([^()\n]{1,60}\))?(?:: Service '(?P<service>[\w.]{1,80})'"
            r" failed after (?P<tries>\d{1,4}) retries(?: \(starting from (?P<first>\d{1,5})\))?)?"
        ),
        says=_in_use,
        first="A port that the process asked for is in use.",
        means=(
            "One process of a machine has a port. A driver of Spark asks for one for its page "
            "(4040), its messages and its blocks each, and tries `spark.port.maxRetries` (16) "
            "further ones where it is taken; a server has the one that its settings name."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "Another port, 0 for any that is free (Spark), or fewer of such programs on one "
            "machine at a time; of a server, end the one that still runs."
        ),
        more="`ss -ltnp` on that machine, as root: which process listens at the port.",
        next_step="ss -ltnp on that machine, as root, shows who listens.",
        sources=(
            Source(
                "Spark 1.1 to 3.5",
                "org.apache.spark.util.Utils.startServiceOnPort",
                "Address already in use: Service 'SparkUI' failed after 16 retries "
                "(starting from 4040)!",
            ),
            Source("JDK", "java.net.BindException", "Address already in use"),
        ),
    ),
    KnownEnd(
        id="address_not_of_the_machine",
        title="An address that the process wants is not of its machine",
        words=(
            r"(?:BindException: |bind: )Cannot assign requested address"
            r"(?::? ?(?:\([^()\n]{1,60}\))?:? ?Service '(?P<service>[\w.]{1,80})')?"
        ),
        says=_not_own,
        first="The process wanted to listen at an address that its machine does not have.",
        means=(
            "A process listens at the address of its machine's host name, unless it is told "
            "another one. Where that name leads elsewhere, the system refuses it."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "The entry of the host name in /etc/hosts or DNS; of Spark `spark.driver.bindAddress`."
        ),
        more="`getent hosts $(hostname)` beside `ip addr` on that machine.",
        next_step="getent hosts $(hostname), and ip addr, on that machine, show whether they "
        "agree.",
        sources=(
            Source(
                "Spark 2.1 to 3.5",
                "org.apache.spark.util.Utils.startServiceOnPort",
                "Cannot assign requested address: Service 'sparkDriver' failed after 16 retries "
                "(on a random free port)!",
            ),
            Source("JDK", "java.net.BindException", "Cannot assign requested address"),
        ),
    ),
    KnownEnd(
        id="driver_not_reached",
        title="The application master of Spark did not reach its driver",
        words=r"Failed to connect to driver(?: at (\S{1,120}:\d{1,5})|!)",
        says=_driver,
        first="The application master could not connect to the driver that started it.",
        means=(
            "In client mode the driver runs where spark-submit was typed, and the application "
            "master connects to it. Where it cannot for `spark.yarn.am.waitTime` (100 s), it ends "
            "with exit code 10, before any executor is asked for."
        ),
        not_proven="Whether the driver had ended: its own console says that, and why.",
        change=(
            "`spark.driver.host` (an address that the nodes reach) and `spark.driver.port` (one "
            "that the firewall lets through), or cluster mode (`--deploy-mode cluster`)."
        ),
        more="The console of spark-submit: whether the driver had ended before, and of what.",
        next_step="read the console of the driver: whether it ended, and why; from a node, "
        "nc -vz HOST PORT tries its address.",
        sources=(
            Source(
                "Spark 1.0 to 2.2",
                "org.apache.spark.deploy.yarn.ApplicationMaster.waitForSparkDriver",
                "Failed to connect to driver at HOST:PORT, retrying ...",
            ),
        ),
    ),
    KnownEnd(
        id="no_kerberos_realm",
        title="No Kerberos realm is known on the machine",
        words=r"Can't get Kerberos realm|Cannot locate default realm",
        says=_realm,
        first="Java could not find out which Kerberos realm it belongs to.",
        means=(
            "Hadoop's security is set up when the first class of it is loaded, and needs the "
            "default realm of `krb5.conf`. A path in `spark.driver.extraJavaOptions` of the "
            "machine that submits need not exist on a node."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change="`-Djava.security.krb5.conf` with a path that exists where the process runs.",
        more="`ls -l` of that path, and `grep default_realm`, on that machine.",
        next_step="on that machine, grep default_realm in the krb5.conf that its options name "
        "(/etc/krb5.conf, where they name none).",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.security.HadoopKerberosName.setConfiguration",
                "Can't get Kerberos realm",
            ),
            Source("JDK", "sun.security.krb5.Config", "Cannot locate default realm"),
        ),
    ),
)
