"""A result of a database that comes whole, because no fetch size is set.

What it means
    The drivers of MySQL and of PostgreSQL read all rows of a result into memory unless they are
    told otherwise, whatever the program takes of them. A task that reads a table by JDBC
    (`DBInputFormat`, Sqoop, a lookup in `setup()`) has all of its rows in the heap at once.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    MySQL: `setFetchSize(Integer.MIN_VALUE)`, or `useCursorFetch=true` in the URL with a fetch size.
    PostgreSQL: `setAutoCommit(false)` and `setFetchSize(1000)`; without the first the second is
    ignored. Or smaller splits of the table.

What would tell more
    The rows under the driver's result in the report of a run with a heap dump (`mprof run`).
"""

from __future__ import annotations

from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_POSTGRESQL = "org.postgresql.core.v3.QueryExecutorImpl"

MESSAGE = known_leak(
    id="jdbc_result_without_fetch_size",
    title="A database's result without a fetch size",
    known=(
        "The JDBC drivers of MySQL and PostgreSQL are known to read all rows of a result into the "
        "heap unless a fetch size is set."
    ),
    cure=(
        "Set it: setFetchSize(Integer.MIN_VALUE) with MySQL; setAutoCommit(false) and "
        "setFetchSize(1000) with PostgreSQL."
    ),
    on_stack=(
        ("com.mysql.jdbc.MysqlIO", "readSingleRowSet", "readResultsForQueryOrUpdate"),
        ("com.mysql.cj.protocol.a.TextResultsetReader",),
        ("com.mysql.cj.protocol.a.BinaryResultsetReader",),
        (_POSTGRESQL, "processResults"),
    ),
    holding=(
        "com.mysql.jdbc.RowDataStatic", "com.mysql.jdbc.ByteArrayRow",
        "com.mysql.cj.protocol.a.result.ResultsetRowsStatic",
        "com.mysql.cj.protocol.a.result.ByteArrayRow",
        "org.postgresql.jdbc.PgResultSet", "org.postgresql.core.Tuple",
    ),
    sources=(
        Source("MySQL Connector/J 5.1", "com.mysql.jdbc.MysqlIO.readSingleRowSet"),
        Source("MySQL Connector/J 8", "com.mysql.cj.protocol.a.TextResultsetReader.read"),
        Source("PostgreSQL JDBC 42", f"{_POSTGRESQL}.processResults"),
    ),
    examples=(
        Example("MySQL reads all rows",
                lambda: out_of_memory("com.mysql.jdbc.MysqlIO.nextRowFast",
                                      "com.mysql.jdbc.MysqlIO.readSingleRowSet",
                                      "com.example.Job.setup")),
        Example("rows of PostgreSQL fill the heap", lambda: holding("org.postgresql.core.Tuple")),
        Example("a query is sent",
                lambda: out_of_memory(f"{_POSTGRESQL}.sendQuery", "com.example.Job.setup"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
