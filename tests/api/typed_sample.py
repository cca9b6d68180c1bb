"""A program as users write it; a test has it checked by mypy, and nothing runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import networkx as nx
import pandas as pd

import mprof
from mprof import Diagnosed, HeapSummary, Unknown, known, tables


def largest(folder: Path) -> str:
    diagnosed = mprof.diagnose(folder, embedded=False, conf_dir=None, capture="kept")
    assert_type(diagnosed, Diagnosed)
    assert_type(mprof.render_text(diagnosed), str)
    assert_type(mprof.render_html(diagnosed), str)
    assert_type(mprof.render_json(diagnosed), str)
    assert_type(mprof.to_json(diagnosed), dict[str, Any])
    assert_type(tables.attempts(diagnosed), pd.DataFrame)
    assert_type(mprof.tables.growth(diagnosed), pd.DataFrame)
    graph: nx.DiGraph = mprof.holder_graph(diagnosed)
    heap = mprof.read_heap("heap.hprof")
    assert_type(heap, HeapSummary)
    live = diagnosed.evidence.memory.live_bytes_at_death
    assert_type(live, int | Unknown)
    assert_type(known(live), int | None)
    try:
        mprof.diagnose("nothing")
    except mprof.MprofError as error:
        assert_type(error.next_step, str)
    return diagnosed.diagnosis.causes[0].cause + str(len(graph))
