"""A server that gives answers as a HistoryServer or a ResourceManager of either line does."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["node", "replaying", "resources"]


def node(host: str, state: str, port: int = 45454, **more: Any) -> dict[str, Any]:
    return {"rack": "/r1", "state": state, "id": f"{host}:{port}", "nodeHostName": host,
            "nodeHTTPAddress": f"{host}:8042", "lastHealthUpdate": 1795890237073,
            "healthReport": "", "numContainers": 3, "usedMemoryMB": 3072, "availMemoryMB": 5120,
            "usedVirtualCores": 3, "availableVirtualCores": 5, **more}  # fmt: skip


APPS = [
    {"id": "application_1_0007", "user": "u", "name": "sort", "applicationType": "MAPREDUCE",
     "state": "RUNNING", "finalStatus": "UNDEFINED", "startedTime": 1795890000000},
    {"id": "application_1_0008", "user": "u", "name": "q", "applicationType": "SPARK",
     "state": "RUNNING", "finalStatus": "UNDEFINED", "startedTime": 1795890000000},
]  # fmt: skip


class Replay(BaseHTTPRequestHandler):
    """Gives recorded answers."""

    server: Any

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.server.asked.append(self.path)
        words = {name: values[0] for name, values in parse_qs(parts.query).items()}
        fault = self.server.faults.pop(0) if self.server.faults else None
        answer = self.server.answers.get(parts.path)
        if fault is not None:
            code, text, headers = fault
        elif answer is None:
            said = {"RemoteException": {"message": f"{parts.path} is not found"}}
            code, text, headers = 404, json.dumps(said).encode(), {}
        else:
            told = answer(words) if callable(answer) else answer
            code, text, headers = 200, json.dumps(told).encode(), {}
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def replaying() -> Iterator[Any]:
    made: Any = ThreadingHTTPServer(("127.0.0.1", 0), Replay)
    made.asked, made.faults, made.answers = [], [], {}
    made.url = f"http://127.0.0.1:{made.server_address[1]}"
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()


def resources(nodes: list[dict[str, Any]], *, line: int = 3) -> dict[str, Any]:
    def those(words: dict[str, str]) -> dict[str, Any]:
        wanted = words.get("states", "").split(",") if "states" in words else None
        if wanted is None and line == 2:
            wanted = ["NEW", "RUNNING", "UNHEALTHY"]
        told = [one for one in nodes if wanted is None or one["state"] in wanted]
        return {"nodes": {"node": told} if told else ({} if line == 3 else None)}

    def apps(words: dict[str, str]) -> dict[str, Any]:
        return {"apps": {"app": APPS} if "states" in words else None}

    return {"/ws/v1/cluster/nodes": those, "/ws/v1/cluster/apps": apps}
