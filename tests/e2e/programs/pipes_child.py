#!/usr/bin/env python3
"""A mapper for Hadoop Pipes that goes wrong at its 1,000th record, as its input file says.

It speaks the binary protocol of ``org.apache.hadoop.mapred.pipes.BinaryProtocol``: commands and
lengths are Hadoop's variable-length integers (``WritableUtils``); the handshake proves with the
job's token that each side knows it. The task writes the token to its working folder, which on a
cluster whose file system is the local one is that of the job; the test puts its path in here.
"""

import base64
import hashlib
import hmac
import os
import re
import socket
import sys
import time
from pathlib import Path

TOKEN = "@TOKEN@"
START, CONF, TYPES, RUN_MAP, ITEM, CLOSE, ABORT, AUTHENTICATE = 0, 1, 2, 3, 4, 8, 9, 10
OUTPUT, DONE, AUTHENTICATED = 50, 54, 57
WRONG_AT = 1_000
MIB = 1 << 20

port = int(os.environ["mapreduce_pipes_command_port"])  # noqa: SIM112 - as Hadoop calls it
connection = socket.create_connection(("localhost", port))
source, sink = connection.makefile("rb"), connection.makefile("wb")


def read_int() -> int:
    first = int.from_bytes(source.read(1), "big", signed=True)
    if first >= -112:
        return first
    value = int.from_bytes(source.read(-(first + (112 if first >= -120 else 120))), "big")
    return value if first >= -120 else ~value


def read_text() -> bytes:
    return source.read(read_int())


def write_int(value: int) -> None:
    if -112 <= value <= 127:
        sink.write(value.to_bytes(1, "big", signed=True))
        return
    size = (value.bit_length() + 7) // 8
    sink.write((-112 - size).to_bytes(1, "big", signed=True) + value.to_bytes(size, "big"))


def write_text(text: bytes) -> None:
    write_int(len(text))
    sink.write(text)


def emit(key: bytes, value: bytes) -> None:
    write_int(OUTPUT)
    write_text(key)
    write_text(value)


def digest(secret: bytes, text: bytes) -> bytes:
    return base64.b64encode(hmac.new(secret, text, hashlib.sha1).digest())


def authenticate() -> None:
    theirs, challenge = read_text(), read_text()
    secret = Path(TOKEN).read_bytes()
    deadline = time.monotonic() + 10  # all tasks write that one file: it may be half written
    while digest(secret, challenge) != theirs:
        if time.monotonic() > deadline:
            sys.exit("the task does not know the job's token")
        time.sleep(0.01)
        secret = Path(TOKEN).read_bytes()
    write_int(AUTHENTICATED)
    write_text(digest(secret, theirs))
    sink.flush()


def go_wrong(way: str, megabytes: int) -> None:
    sink.flush()
    if way == "grow":
        for _ in range(megabytes):
            kept.append(b"x" * MIB)
            time.sleep(0.002)
        time.sleep(60)  # until the container is killed
    elif way == "value":
        emit(b"large", b"y" * (megabytes * MIB))
        sink.flush()


kept: list[bytes] = []
way, megabytes = "", 0
records = 0
while True:
    command = read_int()
    if command == AUTHENTICATE:
        authenticate()
    elif command == START:
        read_int()
    elif command == CONF:
        for _ in range(read_int()):
            read_text()
    elif command == TYPES:
        read_text()
        read_text()
    elif command == RUN_MAP:
        split = read_text()  # a FileSplit, which begins with the path: .../WAY-MEGABYTES
        read_int()
        read_int()
        *_, (name, size) = re.findall(rb"/([a-z]+)-([0-9]+)", split)
        way, megabytes = name.decode(), int(size)
    elif command == ITEM:
        read_text()
        records += 1
        emit(read_text()[:6], b"1")
        if records == WRONG_AT:
            go_wrong(way, megabytes)
    elif command == CLOSE:
        write_int(DONE)
        sink.flush()
        break
    elif command == ABORT:
        break
