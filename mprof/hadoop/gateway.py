"""py4j stands here: a gateway JVM, asked for plain values, its faults told in one line."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError

from mprof.errors import ClusterError, EvidenceError, MprofError

__all__ = ["Gateway", "GatewayGoneError"]

# py4j logs every lost connection with its stack; what a user has to know is raised instead.
logging.getLogger("py4j").setLevel(logging.CRITICAL)

_AWAY = "check that the cluster runs and that HADOOP_CONF_DIR names the right one"

# Java class (simple name, anywhere in the chain of causes) -> the error a user sees.
_FAULTS: tuple[tuple[frozenset[str], Callable[[str], MprofError]], ...] = (
    (
        frozenset({"KerberosAuthException", "SaslException", "GSSException", "LoginException"}),
        lambda text: ClusterError(
            f"the cluster does not accept who you are: {text}", next_step="run kinit and try again"
        ),
    ),
    (
        frozenset({"AccessControlException", "AuthorizationException", "AccessDeniedException"}),
        lambda text: EvidenceError(
            f"not allowed: {text}", next_step="use the account that ran the job, or ask for access"
        ),
    ),
    (
        frozenset(
            {
                "ConnectException",
                "NoRouteToHostException",
                "UnknownHostException",
                "SocketTimeoutException",
                "ConnectTimeoutException",
            }
        ),
        lambda text: ClusterError(f"the cluster does not answer: {text}", next_step=_AWAY),
    ),
    (
        frozenset({"ApplicationNotFoundException", "FileNotFoundException"}),
        lambda text: EvidenceError(text, next_step="check the name"),
    ),
    (
        frozenset({"FileAlreadyExistsException"}),
        lambda text: ClusterError(f"{text} is there already", next_step="choose another place"),
    ),
)


class GatewayGoneError(ClusterError):
    """The gateway's JVM has ended; unlike a cluster that is away, it will not come back."""


class Gateway:
    """A connection to one gateway JVM; its methods are those of ``org.mprof.gateway.EntryPoint``.

    Args:
        port: where it listens on this machine.
        token: what every connection has to show.
    """

    def __init__(self, *, port: int, token: str) -> None:
        self._java = JavaGateway(
            gateway_parameters=GatewayParameters(
                address="127.0.0.1", port=port, auth_token=token, auto_convert=True
            )
        )

    def call(self, method: str, *arguments: str | int | None) -> Any:
        """The method's answer: a string, a number, a truth value or nothing.

        Raises:
            ClusterError: if the gateway or the cluster is away or refuses.
            EvidenceError: if what was asked for is not there or may not be read.
        """
        try:
            return getattr(self._java.entry_point, method)(*arguments)
        except Py4JJavaError as fault:
            raise _translated(fault) from None
        except (Py4JError, OSError) as fault:
            raise GatewayGoneError(
                f"the gateway to the cluster has gone ({type(fault).__name__})",
                next_step="run the command again",
            ) from None

    def ask(self, method: str, *arguments: str | int | None) -> Any:
        """The method's answer, parsed from JSON."""
        return json.loads(self.call(method, *arguments))

    def close(self) -> None:
        """Close the connections; the JVM goes on."""
        self._java.close()


def _translated(fault: Py4JJavaError) -> MprofError:
    """The line for a user: the innermost message that says something, by the kind of fault."""
    chain = []
    exception = fault.java_exception
    while exception is not None:
        message = exception.getMessage() or ""
        chain.append((exception.getClass().getSimpleName(), message.split("\n")[0].strip()))
        exception = exception.getCause()
    text = next((message for _, message in chain if message), chain[0][0])
    if "is not properly formed" in text:
        return EvidenceError(text, next_step="give a job id such as job_1700000000000_0001")
    if text.lower().startswith(("unknown job", "no job ")) or "Unknown Job" in text:
        return EvidenceError(text, next_step="check the job id and the cluster (HADOOP_CONF_DIR)")
    names = {name for name, _ in chain}
    # A remote fault arrives as its class name inside the message.
    names.update(word for _, message in chain for word in message.replace(":", " ").split()[:1])
    names = {name.rpartition(".")[2].rpartition("$")[2] for name in names}
    for kinds, error in _FAULTS:
        if names & kinds:
            return error(text)
    return ClusterError(f"{chain[0][0]}: {text}", next_step="see the cluster's own logs")
