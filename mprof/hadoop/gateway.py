"""The connection to a gateway JVM (py4j): plain values out, Java exceptions as one-line errors."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mprof.errors import ClusterError, EvidenceError, MprofError
from mprof.hadoop import namespaces

if TYPE_CHECKING:
    from py4j.protocol import Py4JJavaError

__all__ = ["Gateway", "GatewayGoneError"]

# py4j logs a stack trace for every lost connection; what a user needs to know is raised instead.
logging.getLogger("py4j").setLevel(logging.CRITICAL)

_UNREACHABLE = "check that the cluster is running, and that HADOOP_CONF_DIR is the right one"


class NotFoundError(EvidenceError):
    """The cluster knows no job, application or file of that name."""


# Exception class (simple name, anywhere in the chain of causes) -> the error a user sees.
_ERRORS: tuple[tuple[frozenset[str], Callable[[str], MprofError]], ...] = (
    (
        frozenset({"KerberosAuthException", "SaslException", "GSSException", "LoginException"}),
        lambda text: ClusterError(
            f"the cluster rejects your credentials: {text}", next_step="run kinit and try again"
        ),
    ),
    (
        frozenset({"AccessControlException", "AuthorizationException", "AccessDeniedException"}),
        lambda text: EvidenceError(
            f"permission denied: {text}",
            next_step="use the account that ran the job, or ask for access",
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
        lambda text: ClusterError(f"the cluster does not respond: {text}", next_step=_UNREACHABLE),
    ),
    (
        frozenset({"ApplicationNotFoundException", "FileNotFoundException"}),
        lambda text: NotFoundError(text, next_step="check the name"),
    ),
    (
        frozenset({"FileAlreadyExistsException"}),
        lambda text: ClusterError(f"{text} already exists", next_step="choose another name"),
    ),
)


class GatewayGoneError(ClusterError):
    """The gateway's JVM has ended; unlike an unreachable cluster, it will not come back."""


class Gateway:
    """A connection to one gateway JVM; its methods are those of ``org.mprof.gateway.EntryPoint``.

    py4j is imported when the first one is made; most commands make none.

    Args:
        port: local port it listens on.
        token: authentication token of every connection.
        pid: process id of the JVM, which may have a network of its own.
    """

    def __init__(self, *, port: int, token: str, pid: int) -> None:
        from py4j.java_gateway import GatewayParameters, JavaGateway

        self._java = JavaGateway(
            gateway_parameters=GatewayParameters(
                address="127.0.0.1",
                port=port,
                auth_token=token,
                auto_convert=True,
                ssl_context=_NetworkOf(pid),
            )
        )

    def call(self, method: str, *arguments: str | int | None) -> Any:
        """Call a method; returns a string, a number, a boolean or None.

        Raises:
            ClusterError: if the gateway or the cluster cannot be reached or rejects the call.
            EvidenceError: if what was asked for does not exist or cannot be read.
        """
        from py4j.protocol import Py4JError, Py4JJavaError

        try:
            return getattr(self._java.entry_point, method)(*arguments)
        except Py4JJavaError as fault:
            raise _translated(fault) from None
        except (Py4JError, OSError) as fault:
            raise GatewayGoneError(
                f"the connection to the gateway was lost ({type(fault).__name__})",
                next_step="run the command again",
            ) from None

    def ask(self, method: str, *arguments: str | int | None) -> Any:
        """Call a method that returns JSON; returns the parsed value."""
        return json.loads(self.call(method, *arguments))

    def close(self) -> None:
        """Close the connections; the JVM keeps running."""
        self._java.close()


class _NetworkOf:
    """Where a process listens; py4j lets a caller make its sockets as an SSL context only."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def wrap_socket(self, plain: socket.socket, *, server_hostname: str) -> socket.socket:
        del server_hostname  # an SSL context checks it against a certificate
        if not namespaces.is_elsewhere(self._pid):
            return plain
        plain.close()
        return namespaces.connecting_socket(self._pid)


def _translated(fault: Py4JJavaError) -> MprofError:
    """The error for a user: its type by exception class, its text the outermost message."""
    chain = []
    exception = fault.java_exception
    while exception is not None:
        message = exception.getMessage() or ""
        chain.append((exception.getClass().getSimpleName(), message.split("\n")[0].strip()))
        exception = exception.getCause()
    text = next((message for _, message in chain if message), chain[0][0])
    if "is not properly formed" in text:
        return EvidenceError(text, next_step="use a job id such as job_1700000000000_0001")
    if text.lower().startswith(("unknown job", "no job ")) or "Unknown Job" in text:
        return EvidenceError(text, next_step="check the job id and the cluster (HADOOP_CONF_DIR)")
    names = {name for name, _ in chain}
    # The class name of a remote exception is at the start of the message.
    names.update(word for _, message in chain for word in message.replace(":", " ").split()[:1])
    names = {name.rpartition(".")[2].rpartition("$")[2] for name in names}
    for kinds, error in _ERRORS:
        if names & kinds:
            return error(text)
    return ClusterError(f"{chain[0][0]}: {text}", next_step="see the logs of the cluster")
