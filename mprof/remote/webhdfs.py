"""HDFS by WebHDFS: what fsspec leaves open.

fsspec waits for an answer for ever, takes a DataNode's error for the content of the file, reads
megabytes ahead of every read, and writes a file by appending to an empty one, which HDFS refuses
in folders of erasure coding, and on clusters with fewer DataNodes than copies.
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final

import requests
from fsspec.implementations.webhdfs import WebHDFile, WebHDFS
from requests.adapters import HTTPAdapter

__all__ = ["ANSWER_S", "CONNECT_S", "is_webhdfs", "limit", "opened", "put"]

CONNECT_S: Final = 20.0
"""A server that does not take a connection in this time is not there; one that is far takes one
second, and a connection whose first packet was lost three (RFC 6298)."""

ANSWER_S: Final = 60.0
"""Longer than a NameNode takes that collects garbage, or a DataNode that writes a block's copies.
As ``dfs.client.socket-timeout`` of Hadoop's own client, which is a minute as well."""

_OF_DATANODE: Final = "namenoderpcaddress="  # in the address to which a NameNode sends on
_FAULT: Final = 400


class _Limited(HTTPAdapter):
    """Ends what gets no answer, and says what a DataNode refuses."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("timeout") is None:
            kwargs["timeout"] = (CONNECT_S, ANSWER_S)
        answer = super().send(request, *args, **kwargs)
        if answer.status_code >= _FAULT and _OF_DATANODE in str(request.url):
            raise requests.HTTPError(_said(answer), response=answer)
        return answer


def is_webhdfs(system: object) -> bool:
    """Whether it is asked by WebHDFS."""
    return isinstance(system, WebHDFS)


def limit(system: WebHDFS) -> None:
    """Give all that is asked of it a time limit."""
    session = system.session
    if not isinstance(session.get_adapter("http://"), _Limited):
        session.mount("http://", _Limited())
        session.mount("https://", _Limited())


def opened(system: WebHDFS, path: str, size: int | None) -> Any:
    """A file for reading, of which each read asks for its bytes and no more."""
    return WebHDFile(
        system, path, mode="rb", tempdir=system.tempdir, autocommit=True, cache_type="none",
        size=size,
    )  # fmt: skip


def put(system: WebHDFS, path: str, content: bytes | BinaryIO) -> None:
    """Write a file in one request, which its NameNode sends on to a DataNode."""
    asked = system._call("CREATE", "PUT", path, redirect=False, overwrite="true")
    place = system._apply_proxy(asked.headers["Location"])
    system.session.put(
        place, data=content, headers={"content-type": "application/octet-stream"}
    ).raise_for_status()


def _said(answer: requests.Response) -> str:
    try:
        told = answer.json()["RemoteException"]
        return f"{told['exception']}: {told['message']}"
    except (ValueError, KeyError, TypeError):
        return f"a DataNode answers {answer.status_code} {answer.reason}"
