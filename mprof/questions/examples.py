"""Questions that people ask of heaps, with a name each: those that users of MAT have by heart."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """A question: its name, what it asks, what MAT calls that, and its text."""

    name: str
    asks: str
    in_mat: str
    sql: str


EXAMPLES: tuple[Example, ...] = (
    Example(
        "histogram",
        "Which classes have most bytes?",
        "Histogram",
        """
SELECT name, objects, shallow, retained
FROM classes
WHERE objects > 0
ORDER BY shallow DESC
""",
    ),
    Example(
        "biggest-objects",
        "Which objects retain most, of those that no other object dominates?",
        "Dominator Tree",
        """
SELECT o.id, coalesce('class ' || c.name, o.class) AS class, o.shallow, o.retained,
       round(100 * o.retained / (SELECT sum(shallow) FROM objects), 1) AS percent
FROM objects o
LEFT JOIN classes c ON c.id = o.id
WHERE o.dominator IS NULL
ORDER BY o.retained DESC
""",
    ),
    Example(
        "by-package",
        "Which packages have most bytes?",
        "Top Consumers, by package",
        """
SELECT CASE WHEN contains(name, '.') THEN regexp_extract(name, '^(.*)[.]', 1)
            ELSE '(no package)' END AS package,
       sum(objects) AS objects, sum(shallow) AS shallow
FROM classes
GROUP BY package
HAVING sum(objects) > 0
ORDER BY shallow DESC
""",
    ),
    Example(
        "by-loader",
        "How many classes has each class loader, and what do their instances take?",
        "Class Loader Explorer",
        """
SELECT loader, coalesce(loader_class, '(boot loader)') AS loader_class,
       count(*) AS classes, sum(objects) AS objects, sum(shallow) AS shallow
FROM classes
GROUP BY ALL
ORDER BY shallow DESC
""",
    ),
    Example(
        "duplicate-classes",
        "Which classes are defined by more than one class loader?",
        "Duplicate Classes",
        """
SELECT name, count(*) AS loaders, sum(objects) AS objects, sum(shallow) AS shallow
FROM classes
WHERE id IS NOT NULL AND NOT contains(name, '/0x')
GROUP BY name
HAVING count(*) > 1
ORDER BY loaders DESC, name
""",
    ),
    Example(
        "statics",
        "What do static fields hold?",
        "Paths to GC roots, merged by static field",
        """
SELECT class, name, target, target_class, retained
FROM statics
WHERE target IS NOT NULL AND name NOT LIKE '<%'
ORDER BY retained DESC
""",
    ),
    Example(
        "threads",
        "What does each thread keep alive?",
        "Thread Overview",
        """
SELECT name, frames, retained, ran_out_of_memory, virtual
FROM threads
ORDER BY retained DESC
""",
    ),
    Example(
        "stack-locals",
        "Which locals of which methods hold most?",
        "Thread Stacks",
        """
SELECT f.thread_name, f.depth, f.class || '.' || f.method AS method, f.file, f.line,
       l.class AS local, l.object, l.retained
FROM locals l
JOIN frames f ON f.thread = l.thread AND f.depth = l.depth
ORDER BY l.retained DESC
""",
    ),
    Example(
        "duplicate-strings",
        "Which texts are in memory more than once?",
        "Group By Value, of java.lang.String",
        """
SELECT text, count(*) AS strings, count(DISTINCT value) AS arrays,
       CAST(sum(shallow) - min(shallow) + sum(own_bytes) - max(own_bytes) AS BIGINT) AS saved
FROM (SELECT *, CASE WHEN id = min(id) OVER (PARTITION BY value) THEN value_bytes
                     ELSE 0 END AS own_bytes
      FROM strings WHERE text IS NOT NULL)
GROUP BY text
HAVING count(*) > 1
ORDER BY saved DESC
""",
    ),
    Example(
        "longest-strings",
        "Which strings are longest?",
        "SELECT * FROM java.lang.String s WHERE ...",
        """
SELECT id, length, value_bytes, left(text, 100) AS begins
FROM strings
ORDER BY length DESC
""",
    ),
    Example(
        "who-refers-to-strings",
        "Which fields refer to the strings?",
        "Show Objects by Class, by incoming references",
        """
SELECT source_class, coalesce(field, '[element]') AS field, count(*) AS refs,
       count(DISTINCT target) AS strings
FROM refs
WHERE target_class = 'java.lang.String'
GROUP BY ALL
ORDER BY refs DESC
""",
    ),
    Example(
        "immediate-dominators",
        "Objects of which classes keep the byte arrays alive?",
        "Immediate Dominators",
        """
SELECT coalesce(d.class, '(roots)') AS dominator, count(*) AS arrays, sum(o.shallow) AS shallow
FROM objects o
LEFT JOIN objects d ON d.id = o.dominator
WHERE o.class = 'byte[]'
GROUP BY ALL
ORDER BY shallow DESC
""",
    ),
    Example(
        "largest-arrays",
        "Which arrays are largest, and how full are they?",
        "Array Fill Ratio",
        """
SELECT id, class, length, filled, round(100 * filled / length, 1) AS percent, shallow
FROM arrays
WHERE length > 0
ORDER BY shallow DESC
""",
    ),
    Example(
        "zero-arrays",
        "How many bytes are in arrays that hold nothing but zeros?",
        "Primitive Arrays With a Constant Value",
        """
SELECT class, count(*) AS arrays, sum(shallow) AS shallow
FROM arrays
WHERE filled = 0 AND length > 0
GROUP BY class
ORDER BY shallow DESC
""",
    ),
    Example(
        "collections",
        "How full are the collections, by class?",
        "Collection Fill Ratio",
        """
SELECT class, count(*) AS collections, count(*) FILTER (length = 0) AS empty,
       count(*) FILTER (length = 1) AS of_one,
       round(100 * sum(length) / sum(capacity), 1) AS percent_full, sum(wasted) AS wasted
FROM collections
GROUP BY class
ORDER BY wasted DESC
""",
    ),
    Example(
        "largest-collections",
        "Which collections have most elements, and which retain most?",
        "Collections Grouped By Size",
        """
SELECT id, class, length, capacity, retained, round(retained / length) AS bytes_an_element
FROM collections
WHERE length > 0
ORDER BY retained DESC
""",
    ),
    Example(
        "soft-and-weak",
        "What do soft, weak and phantom references refer to?",
        "References Statistics",
        """
SELECT source_class, coalesce(target_class, '(not reachable otherwise)') AS referent,
       count(*) AS refs
FROM refs
WHERE field = 'referent'
GROUP BY ALL
ORDER BY refs DESC
""",
    ),
    Example(
        "finalizers",
        "Objects of which classes have a finalizer?",
        "Finalizer Overview",
        """
SELECT target_class AS class, count(*) AS objects, sum(retained_of(target)) AS retained
FROM refs
WHERE source_class = 'java.lang.ref.Finalizer' AND field = 'referent'
GROUP BY ALL
ORDER BY objects DESC
""",
    ),
    Example(
        "boxed-numbers",
        "How many boxed numbers are there, and how many different ones?",
        "SELECT * FROM java.lang.Long",
        """
SELECT 'java.lang.Long' AS class, count(*) AS objects, count(DISTINCT value) AS different,
       sum(shallow) AS shallow
FROM "java.lang.Long"
UNION ALL
SELECT 'java.lang.Integer', count(*), count(DISTINCT value), sum(shallow)
FROM "java.lang.Integer"
UNION ALL
SELECT 'java.lang.Double', count(*), count(DISTINCT value), sum(shallow)
FROM "java.lang.Double"
ORDER BY objects DESC
""",
    ),
    Example(
        "maps-by-size",
        "How many HashMaps are there of each size?",
        "SELECT h.size FROM java.util.HashMap h",
        """
SELECT size, count(*) AS maps, sum(retained) AS retained
FROM "java.util.HashMap+"
GROUP BY size
ORDER BY maps DESC
""",
    ),
    Example(
        "unreachable",
        "What is garbage?",
        "Unreachable Objects Histogram",
        """
SELECT class, count(*) AS objects, sum(shallow) AS shallow
FROM unreachable
GROUP BY class
ORDER BY shallow DESC
""",
    ),
    Example(
        "roots",
        "What kinds of roots are there?",
        "GC Roots",
        """
SELECT kind, count(*) AS roots, sum(retained) AS retained
FROM roots
GROUP BY kind
ORDER BY roots DESC
""",
    ),
    Example(
        "holders",
        "Which static field, field or local of the program holds the memory?",
        "Leak Suspects",
        """
SELECT name, bytes, round(100 * share, 1) AS percent, class, length, method, thread
FROM holders
ORDER BY bytes DESC
""",
    ),
)
