"""A WebHDFS that a test can let fail: NameNode and DataNode behind one port, files in memory.

What it does is what Hadoop 3.4 does (``NamenodeWebHdfsMethods``, ``WebHdfsHandler``): a NameNode
sends reads and writes on to a DataNode, renames onto nothing that is there, and answers false then.
tests/hadoop/test_store_on_hdfs.py asks the real one the same.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

__all__ = ["FakeHdfs", "fake_hdfs"]

PREFIX = "/webhdfs/v1"
KIND = {"FileNotFoundException": 404, "AccessControlException": 403, "IOException": 500}


@dataclass
class FakeHdfs:
    """What is there, and how it behaves.

    Attributes:
        files: content and time by path.
        folders: that were made.
        silent: operations that get no answer.
        fault: operations of DataNodes that are refused.
        asked: all operations, in their order.
    """

    port: int = 0
    files: dict[str, tuple[bytes, float]] = field(default_factory=dict)
    folders: set[str] = field(default_factory=lambda: {"/"})
    silent: set[str] = field(default_factory=set)
    fault: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> str:
        return f"webhdfs://localhost:{self.port}"

    def make(self, folder: str) -> None:
        while folder not in ("", "/"):
            self.folders.add(folder)
            folder = folder.rpartition("/")[0]

    def status(self, path: str, suffix: str) -> dict[str, Any]:
        content, at_s = self.files.get(path, (b"", time.time()))
        return {
            "pathSuffix": suffix, "type": "FILE" if path in self.files else "DIRECTORY",
            "length": len(content), "modificationTime": int(at_s * 1000),
        }  # fmt: skip


class Refused(Exception):
    """An exception of Hadoop's."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def listed(hdfs: FakeHdfs, path: str) -> list[dict[str, Any]]:
    if path in hdfs.files:
        return [hdfs.status(path, "")]
    if path not in hdfs.folders:
        raise Refused("FileNotFoundException", f"File {path} does not exist.")
    begin = path.rstrip("/") + "/"
    inside = [*hdfs.files, *hdfs.folders]
    names = sorted({one[len(begin) :] for one in inside if one.startswith(begin)} - {""})
    return [hdfs.status(begin + name, name) for name in names if "/" not in name]


def of_namenode(hdfs: FakeHdfs, operation: str, path: str, asked: dict[str, str]) -> Any:
    there = path in hdfs.files or path in hdfs.folders
    if operation == "GETFILESTATUS":
        if not there:
            raise Refused("FileNotFoundException", f"File does not exist: {path}")
        return {"FileStatus": hdfs.status(path, "")}
    if operation == "LISTSTATUS":
        return {"FileStatuses": {"FileStatus": listed(hdfs, path)}}
    if operation == "MKDIRS":
        hdfs.make(path)
        return {"boolean": True}
    if operation == "DELETE":
        hdfs.folders.discard(path)
        return {"boolean": hdfs.files.pop(path, None) is not None}
    if operation == "RENAME":
        target = asked["destination"]
        if target in hdfs.files or path not in hdfs.files:
            return {"boolean": False}
        hdfs.files[target] = hdfs.files.pop(path)
        return {"boolean": True}
    raise Refused("UnsupportedOperationException", operation)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    hdfs: FakeHdfs

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def send(self, code: int, content: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        url = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        path = unquote(url.path.removeprefix(PREFIX)).rstrip("/") or "/"
        operation = asked["op"]
        on_datanode = "namenoderpcaddress" in asked
        where = f"{operation} of a DataNode" if on_datanode else operation
        hdfs = self.hdfs
        with hdfs.lock:
            hdfs.asked.append((where, path))
        if where in hdfs.silent:
            hdfs.ended.wait(30.0)  # then it hangs up, and nobody waits for ever
            self.close_connection = True
            return
        try:
            if path in hdfs.denied and operation not in ("GETFILESTATUS", "LISTSTATUS"):
                raise Refused("AccessControlException", "Permission denied: user=me")
            if where in hdfs.fault:
                raise Refused("IOException", "a disk has failed")
            with hdfs.lock:
                self.answer(operation, path, asked, body, on_datanode=on_datanode)
        except Refused as error:
            told = {"RemoteException": {"exception": error.kind, "message": str(error)}}
            self.send(KIND.get(error.kind, 400), json.dumps(told).encode())

    do_PUT = do_POST = do_DELETE = do_GET

    def answer(
        self, operation: str, path: str, asked: dict[str, str], body: bytes, *, on_datanode: bool
    ) -> None:
        hdfs = self.hdfs
        if operation in ("OPEN", "CREATE") and not on_datanode:
            if operation == "OPEN" and path not in hdfs.files:
                raise Refused("FileNotFoundException", f"File does not exist: {path}")
            other = f"http://localhost:{hdfs.port}{self.path}&namenoderpcaddress=localhost:1"
            self.send(307, b"", Location=other)
        elif operation == "OPEN":
            begin, content = int(asked.get("offset", 0)), hdfs.files[path][0]
            end = begin + int(asked["length"]) if "length" in asked else len(content)
            self.send(200, content[begin:end])
        elif operation == "CREATE":
            hdfs.make(path.rpartition("/")[0])
            hdfs.files[path] = body, time.time()
            self.send(201, b"")
        else:
            self.send(200, json.dumps(of_namenode(hdfs, operation, path, asked)).encode())


@contextmanager
def fake_hdfs() -> Iterator[FakeHdfs]:
    """One that runs for the time of a block."""
    hdfs = FakeHdfs()
    handler = type("OfOne", (Handler,), {"hdfs": hdfs})
    server = ThreadingHTTPServer(("localhost", 0), handler)
    hdfs.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hdfs
    finally:
        hdfs.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
