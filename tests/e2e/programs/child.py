#!/usr/bin/env python3
"""A mapper for Hadoop Streaming that goes wrong at its 10,000th record, as its input file says.

The file is called ``WAY-MEGABYTES``.
"""

import os
import sys
import time

WRONG_AT = 10_000
MIB = 1 << 20

source = os.environ["mapreduce_map_input_file"]  # noqa: SIM112 - as Hadoop calls it
way, _, size = source.rsplit("/", 1)[-1].partition("-")
megabytes = int(size)
kept = []
for number, line in enumerate(sys.stdin, 1):
    sys.stdout.write(f"{line[:6]}\t1\n")
    if number != WRONG_AT:
        continue
    sys.stdout.flush()
    if way == "grow":
        for _ in range(megabytes):
            kept.append(b"x" * MIB)
            time.sleep(0.002)
        time.sleep(60)  # until the container is killed
    elif way in ("line", "stderr"):
        stream = sys.stdout if way == "line" else sys.stderr
        for _ in range(megabytes):
            stream.write("y" * MIB)
        stream.write("\n")
    elif way == "refused":
        raise MemoryError
    elif way == "killed":
        os.kill(os.getpid(), 9)
