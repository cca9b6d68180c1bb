"""Tables with the one name of each host in the columns that hold names of hosts."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from mprof.store.schema import NAMES_OF_HOSTS

__all__ = ["columns_of_hosts", "with_hosts"]


def columns_of_hosts(schema: pa.Schema) -> tuple[str, ...]:
    """Those of the columns that hold names of hosts."""
    return tuple(name for name in NAMES_OF_HOSTS if name in schema.names)


def with_hosts(table: pa.Table, hosts: Mapping[str, str]) -> pa.Table:
    """The same rows, with the one name of each host."""
    for column in columns_of_hosts(table.schema) if hosts else ():
        # Each name once: a day of a cluster has millions of rows and hundreds of names.
        coded = pc.dictionary_encode(table[column]).unify_dictionaries().combine_chunks()
        names = pa.array([hosts.get(name, name) for name in coded.dictionary.to_pylist()])
        renamed = names.cast(pa.string()).take(coded.indices)
        table = table.set_column(table.schema.get_field_index(column), column, renamed)
    return table
