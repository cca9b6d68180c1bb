"""A real JVM's dump with secrets in fields, arrays, strings, properties, threads, environment."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from builders.jvm import compile_java, installed_jdks, running
from builders.planted_secrets import forms, without_texts

from mprof.heap import Heap, open_heap
from mprof.objects.summary import summarise_dump
from mprof.redaction import redact_dump
from mprof.redaction.kept import Kept

JDKS = installed_jdks()
PROGRAM = Path(__file__).parent / "java" / "Secretive.java"


def _containers(heap: Heap) -> dict[int, Any]:
    """By address: what each object holds, the backing by its address."""
    found = {}
    for node in range(1, heap.nodes):
        one = heap.container(node)
        if one is not None:
            backing = None if one.backing is None else heap.address(one.backing)
            found[heap.address(node)] = (
                one.kind, one.length, one.capacity, one.element_class, backing,
            )  # fmt: skip
    return found


@pytest.mark.jvm
@pytest.mark.parametrize("version", JDKS)
@pytest.mark.parametrize("options", [(), ("-XX:-CompactStrings",)])
def test_nothing_is_left_and_everything_else_is_the_same(
    version: int, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(version)
    texts = ["pw:" + "".join(chance.choices("abcdefghkmnp23456789", k=16)) for _ in range(20)]
    number = chance.randrange(1 << 62, 1 << 63)
    monkeypatch.setenv("APP_PASSWORD", "of the environment 4711")
    folder = compile_java(JDKS[version], [PROGRAM], tmp_path / "classes")
    with running(
        JDKS[version], folder, "Secretive", *texts, f"n={number}",
        options=("-Xmx64m", "-Dsecret=of the command 4711", *options),
    ) as java:  # fmt: skip
        path = java.dump(tmp_path / "in.hprof")
    target = tmp_path / "out.hprof"
    redact_dump(path, target, kept=Kept())
    before, after = path.read_bytes(), target.read_bytes()

    secrets = {form for text in texts for form in forms(text)}
    # an array of ints, one a character, is the form of `codePoints`
    secrets |= {text.encode("utf-32-be") for text in texts}
    secrets |= {number.to_bytes(8, "big"), (number & 0xFFFFFFFF).to_bytes(4, "big")}
    secrets |= forms("of the command 4711") | forms("of the environment 4711")
    secrets |= forms("java.specification.version")  # a system property
    assert 4 * len(texts) < sum(secret in before for secret in secrets)
    assert set() == {secret for secret in secrets if secret in after}

    (one, first), (two, second) = summarise_dump(path), summarise_dump(target)
    assert without_texts(first.to_json()) == without_texts(second.to_json())
    containers = _containers(one)
    assert containers == _containers(two)
    lengths = [length for _, length, *_ in containers.values()]
    assert lengths.count(117) > 12  # the collections of the program
    assert lengths.count(229) > 6  # and its maps
    assert {f"thread {each.serial}" for each in one.threads if each.name} <= {
        each.name for each in open_heap(target).threads
    }
