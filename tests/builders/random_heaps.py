"""Heaps of random shape: nodes, arrays, strings, references of all kinds, threads and garbage."""

from __future__ import annotations

import random

from builders.hprof_builder import Builder, FrameSpec

__all__ = ["random_heap"]


def random_heap(seed: int, **options: object) -> Builder:
    """Nodes with random references, some only reachable from garbage, under threads and statics."""
    chance = random.Random(seed)
    builder = Builder(**options)
    loader_class = "app.Loader"
    builder.class_(loader_class, fields={"parent": "object"})
    loader = builder.instance(loader_class)
    builder.class_("app.Node", fields={"left": "object", "right": "object", "n": "int"},
                   loader=loader)  # fmt: skip
    builder.class_("app.Sub", above="app.Node", fields={"extra": "object", "m": "int"},
                   loader=loader)  # fmt: skip
    builder.class_("java.lang.ref.Reference", fields={"referent": "object", "queue": "object"})
    builder.class_("java.lang.ref.WeakReference", above="java.lang.ref.Reference")
    builder.class_("java.lang.ref.SoftReference", above="java.lang.ref.Reference")
    objects = [builder.string(f"s{seed}")]
    for number in range(chance.randrange(20, 60)):
        kind = chance.randrange(8)
        if kind < 4:
            objects.append(builder.instance("app.Node", n=number))
        elif kind == 4:
            objects.append(builder.instance("app.Sub", n=number, m=-number))
        elif kind == 5:
            objects.append(builder.array("app.Node", [0] * chance.randrange(6)))
        elif kind == 6:
            objects.append(builder.primitives("int", list(range(chance.randrange(9)))))
        else:
            name = chance.choice(["WeakReference", "SoftReference"])
            objects.append(builder.instance(f"java.lang.ref.{name}"))
    for one in objects:
        held = builder._by_identifier[one]
        if held.elements is not None:
            builder.set_elements(
                one, [chance.choice([0, *objects]) for _ in range(len(held.elements))]
            )
        elif held.class_ is not None and held.class_.name.startswith("app."):
            for name in ("left", "right", *(["extra"] if held.class_.name == "app.Sub" else [])):
                if chance.random() < 0.6:
                    builder.set(one, **{name: chance.choice(objects)})
        elif held.class_ is not None and "Reference" in held.class_.name:
            builder.set(one, referent=chance.choice(objects))
    builder.set_static("app.Node", "HOLDER", "object", chance.choice(objects))
    for name in ("main", "worker"):
        frames = [
            FrameSpec("app.Node", f"m{n}", "Node.java", n + 1,
                      chance.choices(objects, k=chance.randrange(3)),
                      chance.choices(objects, k=chance.randrange(2)))
            for n in range(chance.randrange(4))
        ]  # fmt: skip
        builder.thread(name, frames)
    return builder
