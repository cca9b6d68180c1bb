"""What a task looks like in each engine: its words, its profile, and the reader of its stacks."""

from __future__ import annotations

from mprof.engines.children import (
    CHILD_FRAMEWORKS,
    LINE_READER,
    OUT_OF_MEMORY_WORDS,
    ChildFramework,
    Command,
    Pipe,
    pipe_on_stack,
)
from mprof.engines.classes import (
    UserClasses,
    is_jdk_class,
    outer_class,
    stable_name,
)
from mprof.engines.engine import Engine, Fields, HeapShapes, Method
from mprof.engines.enlarging import enlarges_container, is_enlarging_name
from mprof.engines.mapreduce import MAPREDUCE
from mprof.engines.program import Program
from mprof.engines.programs import (
    client_in,
    is_of_hadoop_1,
    is_of_kubernetes,
    master_in,
    names_a_task,
    page_in,
    program_around,
    program_by_actors,
    program_in,
    program_on_stack,
    server_in,
    shows_mapreduce,
    signs_of_local_mode,
    tells_of_hadoop_1,
    which_of,
)
from mprof.engines.scripts import (
    SCRIPT_FRAMEWORKS,
    ColumnFields,
    OperatorFields,
    ScriptFramework,
    ScriptStep,
)
from mprof.engines.servers import OF_CLIENTS, server_told_of
from mprof.engines.stacks import FrameRole, StackReading, read_stack
from mprof.engines.vocabulary import (
    LIFECYCLES,
    PLACES,
    ClassKind,
    Level,
    Lifecycle,
    Lifetime,
    Place,
    Side,
    Via,
)

__all__ = [
    "CHILD_FRAMEWORKS",
    "LIFECYCLES",
    "LINE_READER",
    "MAPREDUCE",
    "OF_CLIENTS",
    "OUT_OF_MEMORY_WORDS",
    "PLACES",
    "SCRIPT_FRAMEWORKS",
    "ChildFramework",
    "ClassKind",
    "ColumnFields",
    "Command",
    "Engine",
    "Fields",
    "FrameRole",
    "HeapShapes",
    "Level",
    "Lifecycle",
    "Lifetime",
    "Method",
    "OperatorFields",
    "Pipe",
    "Place",
    "Program",
    "ScriptFramework",
    "ScriptStep",
    "Side",
    "StackReading",
    "UserClasses",
    "Via",
    "client_in",
    "enlarges_container",
    "is_enlarging_name",
    "is_jdk_class",
    "is_of_hadoop_1",
    "is_of_kubernetes",
    "master_in",
    "names_a_task",
    "outer_class",
    "page_in",
    "pipe_on_stack",
    "program_around",
    "program_by_actors",
    "program_in",
    "program_on_stack",
    "read_stack",
    "server_in",
    "server_told_of",
    "shows_mapreduce",
    "signs_of_local_mode",
    "stable_name",
    "tells_of_hadoop_1",
    "which_of",
]
